# SPDX-License-Identifier: Apache-2.0
"""The command line: each command parses, calls the library once and prints."""

from __future__ import annotations

import sys

from mindscope.cli.app import app
from mindscope.errors import MindscopeError, UsageError

__all__ = ["app", "main"]


def main() -> None:
    """Run the command of the process; exit code 1 with one line on stderr on failure, 2 for wrong usage."""
    try:
        app(prog_name="mindscope")
    except MindscopeError as error:
        sys.stderr.write(f"mindscope: {error}\n")
        sys.exit(2 if isinstance(error, UsageError) else 1)
