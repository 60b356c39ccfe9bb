# SPDX-License-Identifier: Apache-2.0
"""Formats of profiles, each in one module.

To add a format: a module with a ``Format``, and a row here.
"""

from __future__ import annotations

from mindscope.artifacts.formats import Formats
from mindscope.profile.formats.ascend.database import ASCEND_DATABASE
from mindscope.profile.formats.ascend.msprof import MSPROF
from mindscope.profile.formats.ascend.output import ASCEND_OUTPUT
from mindscope.profile.formats.chrome_trace import CHROME_TRACE
from mindscope.profile.formats.memory_snapshot import MEMORY_SNAPSHOT
from mindscope.profile.formats.mindspore.legacy import MINDSPORE_PROFILE
from mindscope.profile.formats.nsight.export import NSIGHT_EXPORT
from mindscope.profile.formats.other_content import other_content
from mindscope.profile.formats.torch_trace import TORCH_TRACE
from mindscope.profile.formats.xplane.profile_format import XPLANE
from mindscope.profile.profile import Profile

FORMATS: Formats[Profile] = Formats(
    rows=(
        TORCH_TRACE,
        CHROME_TRACE,
        ASCEND_OUTPUT,
        MINDSPORE_PROFILE,
        MSPROF,
        MEMORY_SNAPSHOT,
        ASCEND_DATABASE,
        NSIGHT_EXPORT,
        XPLANE,
    ),
    depth=4,  # as of ``plugins/profile/TIME/``
    nothing="{path} is no profile: want one of {titles}",
    several="{path} holds {count} profiles, choose one: {names}",
    of_rank="{path} holds no profile of rank {rank}, it holds {names}",
    other_content=other_content,
    follows_links=True,
)
