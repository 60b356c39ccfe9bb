# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R")

def wait_released(
    release_save: Callable[[], Any], acquire_restore: Callable[[Any], object], wait: Callable[[], R]
) -> R: ...
