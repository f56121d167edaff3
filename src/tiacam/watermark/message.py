"""The message that a picture carries: 1 to 1,024 bits, exact in every notation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tiacam.errors import MessageError

MAX_BITS = 1024


@dataclass(frozen=True)
class Message:
    """A bit string of `length` bits, first bit first, held as the integer that it spells.

    `is_text` remembers that the bits are UTF-8 text, so that a reader may show them as such.
    """

    value: int
    length: int
    is_text: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.length <= MAX_BITS:
            raise MessageError(f"message has {self.length} bits, a picture carries 1 to {MAX_BITS}")
        if not 0 <= self.value < 1 << self.length:
            raise MessageError(f"the number given does not fit into a message of {self.length} bits")
        if self.is_text:
            self._check_text()

    def _check_text(self) -> None:
        if self.length % 8:
            raise MessageError(f"text is whole bytes, got {self.length} bits")
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise MessageError(f"text must be UTF-8: {error}") from error

    @classmethod
    def from_text(cls, text: str) -> Message:
        try:
            return cls._from_bytes(text.encode("utf-8"), is_text=True)
        except UnicodeEncodeError as error:
            raise MessageError(f"text {text[:40]!r} has no UTF-8: {error.reason}") from error

    @classmethod
    def from_bytes(cls, data: bytes) -> Message:
        return cls._from_bytes(bytes(data), is_text=False)

    @classmethod
    def _from_bytes(cls, data: bytes, is_text: bool) -> Message:
        return cls(int.from_bytes(data, "big"), 8 * len(data), is_text)

    @classmethod
    def from_hex(cls, digits: str) -> Message:
        """Four bits a digit; white space, a leading 0x and letter case do not matter."""
        plain = "".join(digits.split()).lower().removeprefix("0x")
        if not plain or set(plain) - set("0123456789abcdef"):
            raise MessageError(f"{digits!r} is not a hexadecimal number")
        return cls(int(plain, 16), 4 * len(plain))

    @classmethod
    def from_bits(cls, bits: str | Iterable[int]) -> Message:
        """A string of 0 and 1 (white space and underscores ignored) or a sequence of 0 and 1."""
        text = (
            bits
            if isinstance(bits, str)
            else "".join(str(int(bit)) if bit in (0, 1) else "?" for bit in bits)
        )
        plain = "".join(text.split()).replace("_", "")
        if not plain or set(plain) - set("01"):
            raise MessageError(f"{text[:40]!r} is not a string of the bits 0 and 1")
        return cls(int(plain, 2), len(plain))

    @classmethod
    def from_int(cls, number: int, length: int | None = None) -> Message:
        if number < 0:
            raise MessageError("message is a negative number, wanted 0 or more")
        return cls(number, max(1, number.bit_length()) if length is None else length)

    @classmethod
    def parse(cls, value: Message | str | bytes | bytearray | memoryview | int) -> Message:
        """What a caller most likely means: text for str, the bytes for bytes, the number for int."""
        if isinstance(value, Message):
            return value
        if isinstance(value, str):
            return cls.from_text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            return cls.from_int(value)
        if isinstance(value, bytes | bytearray | memoryview):
            return cls.from_bytes(bytes(value))
        raise MessageError(
            f"message is a {type(value).__name__}, wanted text, bytes, an integer or a Message"
        )

    @property
    def bits(self) -> tuple[int, ...]:
        return tuple(self.value >> shift & 1 for shift in range(self.length - 1, -1, -1))

    @property
    def hex(self) -> str:
        """The number in hexadecimal, as many digits as the length needs; with `length` it is exact."""
        return f"{self.value:0{-(-self.length // 4)}x}"

    @property
    def data(self) -> bytes:
        """The number as big-endian bytes, zero bits in front where the length is no multiple of eight."""
        return self.value.to_bytes(-(-self.length // 8), "big")

    @property
    def text(self) -> str | None:
        """The text that was registered, or None if the message was not text."""
        return self.data.decode("utf-8") if self.is_text else None

    def __str__(self) -> str:
        text = self.text
        return f"0x{self.hex}" if text is None else text
