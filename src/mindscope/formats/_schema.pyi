from typing import Final

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

DTYPES: Final[dict[int, str]]
