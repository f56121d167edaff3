"""Every error that TIACam raises on purpose, in one tree.

A message says what was got, what was wanted and, where the user can act, what to do. The class carries the exit
code of the command line and the HTTP status of the service, so that neither has to translate.
"""

from __future__ import annotations


class TiacamError(Exception):
    """Base of all errors of this package: catch it to catch them all."""

    exit_code = 1
    http_status = 500


class UsageError(TiacamError):
    """The call itself is wrong: options that exclude each other, no file matches, a malformed manifest line."""

    exit_code = 2
    http_status = 400


class ImageError(TiacamError):
    """The picture cannot be used; the message names the file and the reason."""

    http_status = 422


class UnreadableImageError(ImageError):
    """Not an image, truncated, empty, or values that are no pixels."""


class ImageTooSmallError(ImageError):
    """The shorter side has too few pixels to carry a feature."""


class ImageTooLargeError(ImageError):
    """More pixels than are decoded, whatever the file's own size."""

    http_status = 413


class ModelError(TiacamError):
    """The model or its card is missing, damaged or of another kind."""


class ModelFileError(ModelError):
    """The ONNX file or its card is missing, malformed or does not match the recorded sha256."""


class ModelMismatchError(ModelError):
    """A record was made with another model: features of two models cannot be compared."""

    http_status = 409


class MessageError(TiacamError):
    """The message cannot be carried: empty, too long or not in the stated notation."""

    exit_code = 2
    http_status = 422


class KeyFileError(TiacamError):
    """The key file is missing, damaged or readable by others."""


class KeyEndedError(KeyFileError):
    """The key was given up in this registry: it reads what it registered, and signs nothing any more."""

    http_status = 409


class WrongKeyError(TiacamError):
    """The record belongs to another owner's key, so its message cannot be opened with this one."""

    http_status = 403


class RevokedKeyError(WrongKeyError):
    """The record's key was taken back from before this record on: it does not count, whoever reads it."""


class RegistryError(TiacamError):
    """The registry cannot do what was asked."""


class RegistryUnavailableError(RegistryError):
    """The registry cannot be opened or written: read-only folder, disk full, locked for too long."""

    http_status = 503


class ConnectionLostError(RegistryUnavailableError):
    """The database server cannot be reached, or went away in the middle of something."""


class DamagedRegistryError(RegistryError):
    """The database is no registry, is corrupt, or its chain of records does not verify."""


class SchemaError(RegistryError):
    """The registry was written by a newer version of TIACam."""


class RecordNotFoundError(RegistryError):
    """No record has this id."""

    exit_code = 3
    http_status = 404


class RecordExistsError(RegistryError):
    """The same record is in the registry already."""

    http_status = 409


class DataError(TiacamError):
    """A data set, manifest or result file is missing or malformed."""

    http_status = 422


class RequestError(TiacamError):
    """The service refuses a request for what it is, not for what it asks."""

    http_status = 400
    retry_after: int | None = None  # seconds, where trying again later helps


class UnknownTokenError(RequestError):
    """No token was given, or one that the service does not know."""

    http_status = 401


class ScopeError(RequestError):
    """The token is known, but it does not allow this."""

    http_status = 403


class SlowRequestError(RequestError):
    """The body did not arrive in time."""

    http_status = 408


class UploadTooLargeError(RequestError):
    """The body has more bytes than the service takes."""

    http_status = 413


class LongAddressError(RequestError):
    """The address has more characters than the service takes."""

    http_status = 414


class MediaTypeError(RequestError):
    """The body is declared as something else than a picture, or is none."""

    http_status = 415


class RepeatedKeyError(RequestError):
    """An idempotency key was used before, for another request."""

    http_status = 422


class TooManyRequestsError(RequestError):
    """The caller is over the rate that the service allows."""

    http_status = 429
    retry_after = 1


class LargeHeadersError(RequestError):
    """The headers have more bytes than the service takes."""

    http_status = 431


class BusyError(RequestError):
    """All places of the service are taken: nothing was done, and nothing waits."""

    http_status = 503
    retry_after = 1


class SlowWorkError(RequestError):
    """The picture took longer than the service works on one."""

    http_status = 504


class TrainingError(TiacamError):
    """A training run cannot go on: its features collapsed, or its losses are no numbers any more."""
