from typing import Any

from numpy.typing import NDArray

def cells(
    start: NDArray[Any],
    duration: NDArray[Any],
    before: NDArray[Any],
    longest: NDArray[Any],
    longest_ns: NDArray[Any],
    level_offsets: NDArray[Any],
    lane_first: NDArray[Any],
    lane_end: NDArray[Any],
    begin: int,
    pixel: int,
    width: int,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]: ...
