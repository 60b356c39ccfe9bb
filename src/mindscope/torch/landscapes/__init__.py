# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes and sharpness of PyTorch networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.torch.landscapes.checkpoints import choose_interval, of_run
    from mindscope.torch.landscapes.common_plane import common_tag, event_directories
    from mindscope.torch.landscapes.landscape import select_checkpoints, tag_of
    from mindscope.torch.landscapes.losses_factory import device_processes

__all__ = [
    "choose_interval",
    "common_tag",
    "device_processes",
    "event_directories",
    "of_run",
    "select_checkpoints",
    "tag_of",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.torch.landscapes.checkpoints": "choose_interval of_run",
        "mindscope.torch.landscapes.common_plane": "common_tag event_directories",
        "mindscope.torch.landscapes.landscape": "select_checkpoints tag_of",
        "mindscope.torch.landscapes.losses_factory": "device_processes",
    },
)
