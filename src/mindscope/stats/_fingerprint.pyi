# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import NDArray

def fingerprint(data: NDArray[Any], seed: int = 0) -> int: ...
