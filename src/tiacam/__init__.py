"""TIACam: camera-robust zero-watermarking.

    >>> from tiacam import Tiacam
    >>> with Tiacam.open("pictures.tiacam") as tiacam:
    ...     record = tiacam.register("picture.jpg", "owner 4711")
    ...     verdict = tiacam.read("photo-of-a-screen.jpg")

Names are loaded on first use, so that `import tiacam` costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; importing `typing` would double the start-up time

__version__ = "0.1.0"

_HOMES = {
    "KeyedHead": "tiacam.watermark",
    "Message": "tiacam.watermark",
    "OwnerKey": "tiacam.registry",
    "Picture": "tiacam.image",
    "Record": "tiacam.registry",
    "ReferenceHead": "tiacam.watermark",
    "Registry": "tiacam.registry",
    "Submission": "tiacam.app",
    "Tiacam": "tiacam.app",
    "TiacamError": "tiacam.errors",
    "Verdict": "tiacam.watermark",
}

__all__ = [
    "KeyedHead",
    "Message",
    "OwnerKey",
    "Picture",
    "Record",
    "ReferenceHead",
    "Registry",
    "Submission",
    "Tiacam",
    "TiacamError",
    "Verdict",
]

if TYPE_CHECKING:
    from typing import Any

    from tiacam.app import Submission, Tiacam
    from tiacam.errors import TiacamError
    from tiacam.image import Picture
    from tiacam.registry import OwnerKey, Record, Registry
    from tiacam.watermark import KeyedHead, Message, ReferenceHead, Verdict


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'tiacam' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
