from collections.abc import Mapping, Sequence

from mindscope.types import Message

Buffer = bytes | bytearray | memoryview

WHOLE: int
BAD_LENGTH: int
BAD_PAYLOAD: int

class Field:
    name: str
    number: int
    type_name: str
    is_repeated: bool
    is_packed: bool
    is_map: bool
    is_required: bool
    schema: Schema | None
    def __init__(
        self,
        name: str,
        number: int,
        type_name: str,
        *,
        is_repeated: bool = False,
        is_packed: bool = False,
        is_map: bool = False,
        is_required: bool = False,
    ) -> None: ...

class Schema:
    name: str
    fields: list[Field]
    def __init__(self, name: str, fields: list[Field]) -> None: ...

def crc32c(data: Buffer, by_table: bool = False, before: int = 0) -> int: ...
def has_crc_instruction() -> bool: ...
def frame(payload: Buffer) -> bytes: ...
def scan_frames(chunk: Buffer, position: int) -> tuple[list[tuple[int, int]], int, int, int]: ...
def find_frame(chunk: Buffer, position: int) -> tuple[int, bool]: ...
def read_frame_header(chunk: Buffer, position: int) -> tuple[int, int, int]: ...
def decode(schema: Schema, data: Buffer) -> Message: ...
def split(data: Buffer, start: int, end: int) -> list[tuple[int, int | float | None, int, int]]: ...
def encode(schema: Schema, message: Mapping[str, object]) -> bytes: ...
def encode_scalar_values(tags: Sequence[bytes], values: Sequence[float]) -> bytes: ...
def encode_summary_event(wall_time: float, step: int, values: bytes) -> bytes: ...
def encode_scalar_record(wall_time: float, step: int, scalars: dict[str, float]) -> bytes: ...
