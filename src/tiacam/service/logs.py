"""Structured logs: one JSON object a line on stderr; no picture, no message, no query, no token is ever in them."""

from __future__ import annotations

import json
import logging
import sys
import threading
from datetime import UTC, datetime
from typing import Any, TextIO


class Log:
    """Writes events; `stream` is looked up at each one, so that a test can replace stderr."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def info(self, event: str, **facts: Any) -> None:
        self._write("info", event, facts)

    def error(self, event: str, **facts: Any) -> None:
        self._write("error", event, facts)

    def _write(self, level: str, event: str, facts: dict[str, Any]) -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = json.dumps({"time": now, "level": level, "event": event, **facts}, default=str)
        with self._lock:
            print(line, file=self._stream or sys.stderr, flush=True)


LOG = Log()


class LibraryLog(logging.Handler):
    """What the server's libraries have to say, in the same form; the trace of an error may hold data and stays out."""

    def emit(self, record: logging.LogRecord) -> None:
        write = LOG.error if record.levelno >= logging.ERROR else LOG.info
        write("library", name=record.name, message=record.getMessage().partition("\n")[0][:200])
