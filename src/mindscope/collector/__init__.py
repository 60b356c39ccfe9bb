# SPDX-License-Identifier: Apache-2.0
"""What every collector of a training decides, whatever the framework: when to collect, what, and under which tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.collector.landscape_file import read_landscape_file as read_landscape_file

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.collector.landscape_file": "read_landscape_file",
    },
)
