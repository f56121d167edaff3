"""An uploaded file as the product takes it: bytes with a name that errors can use."""

from __future__ import annotations

import io

from tiacam.service.admission import NAME


class Upload(io.BytesIO):
    """The bytes of an upload; its name is ours, not the caller's."""

    name = NAME
