from collections.abc import Mapping

from mindscope.formats._schema import Schema

def encode(schema: Schema, message: Mapping[str, object]) -> bytes: ...
