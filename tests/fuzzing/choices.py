# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The gpuarray developers
"""What a harness makes of the bytes that a fuzzer gives it."""

from collections.abc import Sequence
from typing import Any


class Choices:
    """Reads decisions from bytes; where these end, every decision is the first."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def flag(self) -> bool:
        return self.byte() % 2 == 1

    def number(self, low: int, high: int) -> int:
        """Return an integer from low to high, both of them included."""
        count = ((high - low).bit_length() + 7) // 8
        value = int.from_bytes(bytes(self.byte() for _ in range(count)), "little")
        return low + value % (high - low + 1)

    def choice(self, items: Sequence[Any]) -> Any:
        return items[self.number(0, len(items) - 1)]

    def several(self, most: int, draw: Any) -> list[Any]:
        """Return up to `most` results of draw()."""
        return [draw() for _ in range(self.number(0, most))]

    def text(self, letters: str, most: int) -> str:
        """Return up to `most` characters, most of them of `letters`, others of any kind."""

        def letter() -> str:
            byte = self.byte()
            return letters[byte % len(letters)] if byte < 250 else chr(self.number(0, 0x24F))

        return "".join(self.several(most, letter))

    def rest(self) -> bytes:
        """Return the bytes that no decision has read."""
        found = self._data[self._at :]
        self._at = len(self._data)
        return found
