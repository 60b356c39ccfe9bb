# SPDX-License-Identifier: Apache-2.0

import numpy as np
from numpy.typing import NDArray

EMPTY: int
NUMBER: int
TEXT: int

def parse_rows(
    data: bytes, separator: int, columns: int, text_column: int, is_final: bool, most_rows: int
) -> tuple[
    NDArray[np.float64],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    list[tuple[int, int, int, int]],
    int,
    int,
]:
    """Return numbers and kinds of cells, spans of texts, lines, wrong rows, and the number of lines and bytes."""
