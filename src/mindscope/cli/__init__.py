# SPDX-License-Identifier: Apache-2.0
"""The command line: each command parses, calls the library once and prints."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from mindscope.cli.app import app
from mindscope.errors import MindscopeError, UsageError
from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.cli.profile_ranks import ranks_json as ranks_json
    from mindscope.cli.profile_ranks import ranks_lines as ranks_lines
    from mindscope.cli.profile_report import diff_json as diff_json
    from mindscope.cli.profile_report import diff_lines as diff_lines
    from mindscope.cli.profile_report import overview_json as overview_json
    from mindscope.cli.profile_report import overview_lines as overview_lines
    from mindscope.reading.mirrored import mirrored_run as mirrored_run

__all__ = ["app", "main"]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.cli.profile_ranks": "ranks_json ranks_lines",
        "mindscope.cli.profile_report": "diff_json diff_lines overview_json overview_lines",
        "mindscope.reading.mirrored": "mirrored_run",
    },
)


def main() -> None:
    """Run the command of the process; exit code 1 with one line on stderr on failure, 2 for wrong usage."""
    try:
        app(prog_name="mindscope")
    except MindscopeError as error:
        sys.stderr.write(f"mindscope: {error}\n")
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except OSError as error:  # such as a target that can't be written
        sys.stderr.write(f"mindscope: {_named(error)}\n")
        sys.exit(1)


def _named(error: OSError) -> str:
    if error.filename is None or error.strerror is None:
        return str(error) or type(error).__name__
    return f"{os.fsdecode(error.filename)!r}: {error.strerror}"
