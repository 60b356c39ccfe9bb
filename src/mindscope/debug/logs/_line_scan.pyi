from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_State: TypeAlias = tuple[bool, bool, bool, bool, int, int, bool, int, int, bool]
_Kind: TypeAlias = tuple[int, str, int, bool]

MOST_KINDS: int

class LineScanner:
    kinds: list[_Kind]
    state: _State
    def __init__(self, file_rank: int, kinds: Iterable[_Kind] = ()) -> None: ...
    def scan(
        self, data: memoryview, offset: int, year: int, is_end: bool
    ) -> tuple[int, NDArray[np.int64], NDArray[np.int64], NDArray[np.uint16]]: ...
