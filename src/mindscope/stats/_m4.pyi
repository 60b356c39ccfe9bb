# SPDX-License-Identifier: Apache-2.0
from typing import Any

from numpy.typing import NDArray

from mindscope.stats._pyramid import Pyramid
from mindscope.stats._values import Values

def pick(
    y: Values, edges: NDArray[Any], pyramid: Pyramid | None = None
) -> tuple[NDArray[Any], tuple[int, int, int]]: ...
def means(y: Values, edges: NDArray[Any], pyramid: Pyramid | None = None) -> NDArray[Any]: ...
def course(
    y: Values,
    means: NDArray[Any],
    edges: NDArray[Any],
    firsts: NDArray[Any],
    lasts: NDArray[Any],
    rows: NDArray[Any],
    x: NDArray[Any],
) -> tuple[NDArray[Any], int]: ...
def merge(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]: ...
