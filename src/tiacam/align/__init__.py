"""Aligning a photo to a registered picture: landmarks kept with the record, matched, and tested for one geometry."""

from tiacam.align.evidence import geometric_p_value
from tiacam.align.fitting import Alignment, align
from tiacam.align.keypoints import Keypoints, find_keypoints, to_grey
from tiacam.align.landmarks import LONGER_SIDE, Landmarks, choose_landmarks, has_few_details
from tiacam.align.margins import WHOLE_BOX, Box, find_content

__all__ = [
    "LONGER_SIDE",
    "WHOLE_BOX",
    "Alignment",
    "Box",
    "Keypoints",
    "Landmarks",
    "align",
    "choose_landmarks",
    "find_content",
    "find_keypoints",
    "geometric_p_value",
    "has_few_details",
    "to_grey",
]
