# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import NDArray

def bucket_count(valid: int) -> int: ...
def encode_histogram(tag: bytes, flat: NDArray[Any]) -> bytes: ...
