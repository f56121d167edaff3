"""`tiacam serve`: the HTTP service with its web page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tiacam.cli.extras import require_extra
from tiacam.cli.options import add_session, open_session, positive, registry_path
from tiacam.errors import UsageError

if TYPE_CHECKING:
    from tiacam.service.server import Address
    from tiacam.service.settings import Settings
    from tiacam.service.tokens import Scope, Token

HELP = "run the HTTP service with its web page, or manage its tokens"
SCOPES = ("read", "register", "admin")
LINK = "the link"


def configure(parser: argparse.ArgumentParser) -> None:
    add_session(parser)
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (default: this machine alone)"
    )
    parser.add_argument("--port", type=int, default=8765, help="0: any that is free (default: 8765)")
    parser.add_argument(
        "--tls-certificate", type=Path, metavar="PEM", help="speak TLS; phones' cameras need it"
    )
    parser.add_argument("--tls-key", type=Path, metavar="PEM")
    parser.add_argument(
        "--public",
        nargs="*",
        choices=SCOPES[:2],
        default=[],
        metavar="SCOPE",
        help="scopes that need no token",
    )
    limits = parser.add_argument_group("limits")
    limits.add_argument("--max-mib", type=positive, default=32, help="of one upload (default: 32)")
    limits.add_argument("--max-megapixels", type=positive, default=50, help="of one picture (default: 50)")
    limits.add_argument("--workers", type=positive, help="pictures worked on at once (default: one a core)")
    limits.add_argument("--waiting", type=int, default=16, help="pictures that may wait (default: 16)")
    limits.add_argument(
        "--rate", type=int, default=600, help="requests a minute and caller, 0: no limit (default: 600)"
    )
    limits.add_argument(
        "--timeout", type=float, default=30.0, help="seconds for a body and for an answer (default: 30)"
    )
    tokens = parser.add_argument_group("tokens (each of these does its work and ends)")
    tokens.add_argument("--new-token", metavar="NAME", help="make a token and print it: it is shown once")
    tokens.add_argument("--scopes", nargs="+", choices=SCOPES, default=["read"], metavar="SCOPE")
    tokens.add_argument("--remove-token", metavar="NAME")
    tokens.add_argument("--list-tokens", action="store_true")


def run(options: argparse.Namespace) -> int:
    if options.new_token is not None or options.remove_token is not None or options.list_tokens:
        return manage_tokens(options)
    require_extra("fastapi", "service")
    require_extra("uvicorn", "service")
    from tiacam.service.core import Service
    from tiacam.service.server import listen, serve
    from tiacam.service.tokens import TokenBook

    settings, listener = settings_of(options), listen(address_of(options))
    if options.threads is None:
        options.threads = 1  # the pool works on several pictures at once: one thread each
    session = open_session(options, create=True)
    book = TokenBook(announce(listener.address, token_path(options)), token_path(options))
    serve(Service.start(session, settings, book, own_file(options, ".service")), listener)
    return 0


def announce(address: Address, tokens: Path) -> list[Token]:
    """Say where the page is. On this machine alone, the link holds a token of its own that ends with this run."""
    from tiacam.service.tokens import Scope, issue

    if address.is_local:
        issued = issue(LINK, [Scope.READ, Scope.REGISTER])
        print(f"open {address.url}/#token={issued.text}", file=sys.stderr)
        return [issued.token]
    print(f"listening at {address.url}", file=sys.stderr)
    if address.certificate is None:
        print(
            "without TLS whoever is on the way reads tokens and photos: use --tls-certificate, or a proxy",
            file=sys.stderr,
        )
    if not tokens.exists():
        print(
            "there is no token yet: `tiacam serve --new-token NAME --scopes read register`", file=sys.stderr
        )
    return []


def manage_tokens(options: argparse.Namespace) -> int:
    from tiacam.service.tokens import Scope, add_token, read_tokens, remove_token

    path = token_path(options)
    if options.new_token is not None:
        issued = add_token(path, options.new_token, [Scope(scope) for scope in options.scopes])
        print(issued.text)
        print(f"kept in {path} as a digest: this is the only time the token is shown", file=sys.stderr)
    elif options.remove_token is not None:
        remove_token(path, options.remove_token)
    else:
        for token in read_tokens(path):
            print(f"{token.name}\t{' '.join(sorted(token.scopes))}\t{token.created_at}")
    return 0


def settings_of(options: argparse.Namespace) -> Settings:
    from tiacam.service.settings import MEBIBYTE, Settings

    chosen = {
        "max_bytes": options.max_mib * MEBIBYTE,
        "max_pixels": options.max_megapixels * 1_000_000,
        "waiting": options.waiting,
        "requests_per_minute": options.rate,
        "receive_s": options.timeout,
        "work_s": options.timeout,
        "public": frozenset(scopes_of(options.public)),
    }
    return Settings(**chosen, **({"workers": options.workers} if options.workers else {}))


def scopes_of(names: list[str]) -> list[Scope]:
    from tiacam.service.tokens import Scope

    return [Scope(name) for name in names]


def address_of(options: argparse.Namespace) -> Address:
    from tiacam.service.server import Address

    if (options.tls_certificate is None) != (options.tls_key is None):
        raise UsageError("give --tls-certificate and --tls-key together")
    for path in (options.tls_certificate, options.tls_key):
        if path is not None and not path.is_file():
            raise UsageError(f"there is no file {path}")
    return Address(options.host, options.port, options.tls_certificate, options.tls_key)


def token_path(options: argparse.Namespace) -> Path:
    return own_file(options, ".tokens")


def own_file(options: argparse.Namespace, suffix: str) -> Path:
    """A file of the service's own, where the registry's key lies too."""
    from tiacam.registry.place import beside

    path = beside(registry_path(options), suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
