# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import NDArray

class RunningAverage:
    def __init__(self, weight: float) -> None: ...
    def smooth(self, values: NDArray[Any], smoothed: NDArray[Any]) -> None: ...
