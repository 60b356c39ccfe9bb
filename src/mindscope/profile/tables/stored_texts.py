# SPDX-License-Identifier: Apache-2.0
"""Many texts as two columns of a file, of which one is decoded when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray


class StoredTexts(Sequence[str]):
    """Text i is in the bytes from ``offsets[i]`` to ``offsets[i + 1]``, in UTF-8."""

    def __init__(self, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> None:
        self.offsets, self.data = offsets, data

    @staticmethod
    def of(texts: Sequence[str]) -> StoredTexts:
        """Encodes texts. A surrogate without its other half, which JSON can hold, stays as it is."""
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(each) for each in encoded], out=offsets[1:])
        return StoredTexts(offsets, np.frombuffer(b"".join(encoded), np.uint8))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        begin, end = self.offsets[index : index + 2].tolist()
        return self.data[begin:end].tobytes().decode("utf-8", "surrogatepass")
