"""A headless Chromium for the page's tests: found on this machine, or installed from the package registries.

Playwright's own download is not used: it comes from a host of its own. In turn: $TIACAM_CHROMIUM, a browser on the
PATH, `apt-get install chromium` where that is allowed, and the npm package `@sparticuz/chromium`, which carries one.
If none of these works the tests fail and say so: a page that nobody opened is not tested.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
INSTALL_S = 600
CACHE = Path.home() / ".cache" / "tiacam-tests" / "chromium"
UNPACK = "import('@sparticuz/chromium').then((m) => m.default.executablePath()).then((p) => console.log(p))"


class NoBrowserError(AssertionError):
    """There is no browser, and none could be installed."""


def find_browser() -> str:
    """The path of a Chromium that starts."""
    tried: list[str] = []
    for look in (from_environment, from_path, from_apt, from_npm):
        try:
            path = look()
            if path is not None and starts(path):
                return path
            tried.append(f"{look.__name__}: {'none' if path is None else path + ' does not start'}")
        except (OSError, subprocess.SubprocessError) as error:
            tried.append(f"{look.__name__}: {error}")
    raise NoBrowserError(
        "NO BROWSER: the web page was NOT tested. Install Chromium (apt-get install chromium), or name one with "
        f"TIACAM_CHROMIUM=/path. Tried: {'; '.join(tried)}"
    )


def starts(path: str) -> bool:
    done = subprocess.run([path, "--version"], capture_output=True, check=False, timeout=60)
    return done.returncode == 0


def from_environment() -> str | None:
    return os.environ.get("TIACAM_CHROMIUM")


def from_path() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def from_apt() -> str | None:
    """Debian's package, where we are root or may become it without a password."""
    if shutil.which("apt-get") is None:
        return None
    become = [] if os.geteuid() == 0 else ["sudo", "-n"]
    for arguments in (["update"], ["install", "--yes", "--no-install-recommends", "chromium"]):
        subprocess.run(
            [*become, "apt-get", "--quiet", *arguments],
            check=False,
            capture_output=True,
            timeout=INSTALL_S,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )
    return from_path()


def from_npm() -> str | None:
    """A Chromium that needs no root: the package unpacks it into the temporary folder."""
    if shutil.which("npm") is None:
        return None
    CACHE.mkdir(parents=True, exist_ok=True)
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "@sparticuz/chromium"]
    subprocess.run(install, cwd=CACHE, check=True, capture_output=True, timeout=INSTALL_S)
    done = subprocess.run(
        ["node", "-e", UNPACK], cwd=CACHE, check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout.strip() or None
