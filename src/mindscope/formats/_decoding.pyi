from mindscope.formats._schema import Schema
from mindscope.types import Message

Buffer = bytes | bytearray | memoryview

def decode(schema: Schema, data: Buffer) -> Message: ...
def split(data: Buffer, start: int, end: int) -> list[tuple[int, int | float | None, int, int]]: ...
