# SPDX-License-Identifier: Apache-2.0
from typing import Any
MEDIA_TYPE = "application/vnd.mindscope.columns"
def pack(curves: Any) -> bytes:
    raise NotImplementedError
