# SPDX-License-Identifier: Apache-2.0
"""Distinguishes wrong usage, exit code 2, from an error of the data, exit code 1."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from mindscope.errors import MindscopeError, UsageError


@contextmanager
def usage() -> Generator[None]:
    """Turn errors of a body that only parses values of the command line into UsageError."""
    try:
        yield
    except MindscopeError as error:
        raise UsageError(*error.args) from error
