"""The zero-watermarking heads: binding k bits to a feature, and deciding whether a reading is a claim (§3.3)."""

from tiacam.watermark.decision import Decision, agreement_p_value, agreement_threshold
from tiacam.watermark.keyed import KeyedHead
from tiacam.watermark.mark import Mark
from tiacam.watermark.message import Message
from tiacam.watermark.reference import ReferenceHead
from tiacam.watermark.verdict import Corners, Reading, Verdict

__all__ = [
    "Corners",
    "Decision",
    "KeyedHead",
    "Mark",
    "Message",
    "Reading",
    "ReferenceHead",
    "Verdict",
    "agreement_p_value",
    "agreement_threshold",
]
