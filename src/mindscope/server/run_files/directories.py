# SPDX-License-Identifier: Apache-2.0
"""Opens directories below the base directory. No link leads out of it, except those of bases with names."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mindscope.named_bases import bases_in

_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def opened(base: Path, names: Sequence[str], *, makes: list[int] | None = None) -> Generator[int]:
    """Open the directory ``names`` below ``base``, name by name. Raises OSError, also for a link among them.

    With ``makes``, it makes missing directories and appends the depth of each.
    """
    bases = bases_in(base)
    if bases and (not names or names[0] not in bases):
        raise FileNotFoundError(None, f"is not below {' or '.join(bases)}", "/".join(names))
    directory = os.open(bases[names[0]].directory if bases else base, _DIRECTORY)
    try:
        for depth, name in enumerate(names, 1):
            if bases and depth == 1:
                continue
            if makes is not None:
                try:
                    os.mkdir(name, dir_fd=directory)
                    makes.append(depth)
                except FileExistsError:
                    pass
            inner = os.open(name, _DIRECTORY, dir_fd=directory)
            os.close(directory)
            directory = inner
        yield directory
    finally:
        os.close(directory)
