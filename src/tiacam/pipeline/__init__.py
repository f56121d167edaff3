"""From a photo to a reading: views, features, candidates, verdict."""

from tiacam.pipeline.claiming import LEAST_COSINE, Candidate, Claim, accepted, claim, claims, rank, rejected
from tiacam.pipeline.looking import Sight, decoding_target, foresee_each, look, look_each

__all__ = [
    "LEAST_COSINE",
    "Candidate",
    "Claim",
    "Sight",
    "accepted",
    "claim",
    "claims",
    "decoding_target",
    "foresee_each",
    "look",
    "look_each",
    "rank",
    "rejected",
]
