"""From a photo to a reading: views, features, candidates, verdict."""

from tiacam.pipeline.claiming import LEAST_COSINE, Candidate, Claim, accepted, claim, rank, rejected
from tiacam.pipeline.looking import decoding_target, look

__all__ = [
    "LEAST_COSINE",
    "Candidate",
    "Claim",
    "accepted",
    "claim",
    "decoding_target",
    "look",
    "rank",
    "rejected",
]
