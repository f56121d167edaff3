"""The tamper-evident log: a hash tree over the records, heads of it that are signed, and proofs that travel alone."""

from tiacam.registry.log.events import KeyEvent, KeyHistory
from tiacam.registry.log.heads import TreeHead
from tiacam.registry.log.log import Log
from tiacam.registry.log.proofs import GrowthProof, RecordProof, read_proof
from tiacam.registry.log.stamps import request_stamp, verify_stamp

__all__ = [
    "GrowthProof",
    "KeyEvent",
    "KeyHistory",
    "Log",
    "RecordProof",
    "TreeHead",
    "read_proof",
    "request_stamp",
    "verify_stamp",
]
