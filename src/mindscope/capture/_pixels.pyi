# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np
from numpy.typing import NDArray

def brightness_to_bytes(numbers: NDArray[Any], pixels: NDArray[np.uint8]) -> bool: ...
