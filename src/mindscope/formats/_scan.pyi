from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

EVENT_FIELD: int
BROKEN_METADATA: int
METADATA_KIND: int
SCALAR_KIND: int

class EventColumns:
    def start(self, dialect: str, find_kind: Callable[[str, bytes | None], int]) -> None: ...
    def scan(self, chunk: bytes | bytearray | memoryview, position: int, base: int) -> tuple[int, int, int]: ...
    @property
    def has_references(self) -> bool: ...
    def new_tags(self) -> list[str]: ...
    def take_records(self) -> tuple[int, tuple[float, float, int] | None]: ...
    def take_scalars(
        self, memory: Callable[[int], NDArray[np.uint8]]
    ) -> tuple[
        list[tuple[int, int, int, int, int, bool]],
        NDArray[np.int64],
        NDArray[np.float64],
        tuple[NDArray[np.float32], NDArray[np.float64]],
    ]: ...
    def take_references(self) -> dict[str, NDArray[Any]]: ...
