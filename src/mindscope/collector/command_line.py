# SPDX-License-Identifier: Apache-2.0
"""The command line of this process, with masked secrets."""

from __future__ import annotations

import shlex
import sys

from mindscope.capture.masking.secrets import masked
from mindscope.collector.lineage_fields import fact


def command_line_fields() -> dict[str, str]:
    """Return the command that started this process, as a shell takes it, without secrets."""
    return {fact("command_line"): shlex.join(masked(sys.orig_argv))}
