from typing import Any

from numpy.typing import NDArray

EVENT_FIELD: int

class EventColumns:
    def __init__(self, dialect: str) -> None: ...
    def scan(self, chunk: bytes | bytearray | memoryview, position: int, base: int) -> tuple[int, int, int]: ...
    def take(self) -> tuple[list[str], int, dict[str, NDArray[Any]]]: ...
