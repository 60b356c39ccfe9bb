from mmap import mmap

from mindscope.formats._schema import Schema
from mindscope.types import Message

Buffer = bytes | bytearray | memoryview | mmap

def decode(schema: Schema, data: Buffer, most_fields: int = ...) -> Message: ...
def split(
    data: Buffer, start: int, end: int, most_fields: int = ...
) -> list[tuple[int, int | float | None, int, int]]: ...
