"""Tables in pages of docs/ that a program writes, between two marks: <!-- NAME --> and <!-- /NAME -->."""

from __future__ import annotations

import re
from pathlib import Path


def fill_page(page: Path, name: str, content: str) -> None:
    """Replace what stands between the marks of this name."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    fresh = f"{begin}\n{content}\n{end}"
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(f"{begin}.*{end}", lambda _: fresh, text, flags=re.DOTALL), encoding="utf-8")
