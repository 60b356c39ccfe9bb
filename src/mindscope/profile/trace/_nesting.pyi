import numpy as np
from numpy.typing import NDArray

def nest(
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    track: NDArray[np.uint32],
    order: NDArray[np.int32],
    overhang: int = 0,
) -> tuple[NDArray[np.int32], NDArray[np.uint16], NDArray[np.int64], int]: ...
def lift(parent: NDArray[np.int32], is_kept: NDArray[np.uint8], order: NDArray[np.int32]) -> None: ...
