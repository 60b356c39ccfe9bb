import numpy as np
from numpy.typing import NDArray

def nest(
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    track: NDArray[np.uint32],
    order: NDArray[np.int64],
    overhang: int = 0,
) -> tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.int64], int]: ...
