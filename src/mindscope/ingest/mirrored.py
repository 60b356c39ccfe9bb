# SPDX-License-Identifier: Apache-2.0
"""Opens archives of runs and remote stores as directories that mirror them."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from mindscope.archive.mounts import mount
from mindscope.archive.names import archive_of
from mindscope.errors import ArchiveError
from mindscope.formats.frames import FRAME_HEADER, frame_header
from mindscope.formats.log_names import is_log_name
from mindscope.ingest.file_names import is_event_name
from mindscope.ingest.settings_files import is_settings_name
from mindscope.named_bases import bases_in
from mindscope.settings import load_settings
from mindscope.storage.addresses import RemoteAddress, local_path, remote_address
from mindscope.storage.mirror import Mirror, MirrorRules
from mindscope.storage.mirrors import MirrorFollower, open_mirror, refresh_mirror
from mindscope.trackers.trackers import is_tracker_log_name

_APPENDED = (".jsonl", ".wandb")


def open_archive(path: str | os.PathLike[str]) -> Path:
    """Return the directory that mirrors an archive; its event files are read where they are. Raises ArchiveError."""
    return mount(path, _is_event_file, FRAME_HEADER)


def open_address(address: RemoteAddress, *, largest: int | None = None, is_followed: bool = False) -> Mirror:
    """Return the mirror of a remote store; copies nothing yet.

    Args:
        address: of a directory in the store.
        largest: bytes of the largest file that is copied, beside event files and logs; by default as in the settings.
        is_followed: whether a ``MirrorFollower`` keeps it up to date.

    Raises:
        MissingPackageError: a package that reads such stores is not installed.
        StorageError: the address is refused, or the cache can't be written.
    """
    largest = load_settings({}).remote_file_size if largest is None else largest
    return open_mirror(address, MirrorRules(_is_first, _grows, largest), is_followed=is_followed)


def mirrored_directory(path: str | os.PathLike[str]) -> Path | None:
    """Return the directory that mirrors an archive or a remote store; None for another path.

    The path may lead into an archive, as ``runs.mscope/first``. What is in the store is copied, unless a
    ``MirrorFollower`` does that.

    Raises ArchiveError, also for a directory that the archive does not have; StorageError, MissingPackageError.
    """
    address = remote_address(path)
    if address is not None:
        directory = open_address(address).directory.resolve()
        refresh_mirror(str(directory))
        return directory
    archive = archive_of(local_path(path))
    if archive is None:
        return None
    below = local_path(path).relative_to(archive)
    directory = open_archive(archive) / below
    if not directory.is_dir():
        raise ArchiveError(f"{archive} has no directory {str(below)!r}: mindscope inspect {archive} lists its runs")
    return directory


@contextmanager
def followed(base: str | os.PathLike[str], interval_s: float) -> Generator[None]:
    """Keep the mirrors of remote stores up to date, each on a thread: of an address, or of those among named bases.

    Until the first ``mirrored_directory`` after it, nothing waits for the store but one request, which shows whether
    the address and the credentials are right. Raises StorageError, MissingPackageError.
    """
    sources = [named.source for named in bases_in(base).values()] or [base]
    with ExitStack() as followers:
        for address in filter(None, map(remote_address, sources)):
            followers.enter_context(_followed(address, interval_s))
        yield


@contextmanager
def _followed(address: RemoteAddress, interval_s: float) -> Generator[None]:
    mirror = open_address(address, is_followed=True)
    mirror.probe()
    follower = MirrorFollower(mirror, interval_s)
    follower.start()
    try:
        yield
    finally:
        follower.stop()


def _is_first(name: str) -> bool:
    return is_event_name(name) or is_tracker_log_name(name) or is_log_name(name) or is_settings_name(name)


def _grows(name: str) -> bool:
    """Return whether programs only append to files of this name: tables and databases may be rewritten."""
    return is_event_name(name) or name.endswith(_APPENDED) or is_log_name(name)


def _is_event_file(name: str, head: bytes) -> bool:
    """Return whether a file begins with a record: others of such a name may have readers that need a copy."""
    return is_event_name(name) and head == frame_header(int.from_bytes(head[:8], "little"))
