# SPDX-License-Identifier: Apache-2.0
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

class Values:
    def __init__(self, parts: Sequence[NDArray[Any]]) -> None: ...
    def __len__(self) -> int: ...
