"""From a photo to a reading: views, features, candidates, verdict."""
