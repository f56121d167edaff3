"""`/`: the web page, its parts, and the documentation; nothing is loaded from elsewhere."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

router = APIRouter(include_in_schema=False)
FOLDER = Path(__file__).parent.parent / "page"
FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/docs": ("docs.html", "text/html; charset=utf-8"),
    "/page/style.css": ("style.css", "text/css; charset=utf-8"),
    "/page/app.js": ("app.js", "text/javascript; charset=utf-8"),
    "/page/api.js": ("api.js", "text/javascript; charset=utf-8"),
    "/page/camera.js": ("camera.js", "text/javascript; charset=utf-8"),
    "/page/result.js": ("result.js", "text/javascript; charset=utf-8"),
    "/page/docs.js": ("docs.js", "text/javascript; charset=utf-8"),
    "/page/icon.svg": ("icon.svg", "image/svg+xml"),
}


def serve(address: str, name: str, media_type: str) -> None:
    # A fixed table and no folder: no name in an address ever becomes a path.
    @router.api_route(address, methods=["GET", "HEAD"])
    async def send() -> FileResponse:
        return FileResponse(FOLDER / name, media_type=media_type, headers={"Cache-Control": "no-cache"})


for _address, (_name, _media_type) in FILES.items():
    serve(_address, _name, _media_type)
