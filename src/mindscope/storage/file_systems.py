# SPDX-License-Identifier: Apache-2.0
"""Reads HDFS, SFTP, listings of web servers and others by fsspec."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from mindscope.errors import MissingPackageError, StorageError
from mindscope.reasons import Reason
from mindscope.storage.addresses import RemoteAddress
from mindscope.storage.storage import Page, StoredObject, failed

PAGE_OBJECTS = 1000
_WAITS_S = (0.1, 0.5, 2.0)
"""Waits before the repetitions of a failed call."""
_TIMES = ("mtime", "LastModified", "last_modified", "modified", "modificationTime", "created")
_TAGS = ("ETag", "etag", "md5", "checksum")
_WEB = frozenset({"http", "https"})

T = TypeVar("T")


class FileSystemStorage:
    """The files below a directory of a file system."""

    def __init__(self, address: RemoteAddress) -> None:
        """Raises MissingPackageError, StorageError."""
        self._address = address
        try:
            core: Any = import_module("fsspec.core")
            options: dict[str, Any] = {"use_listings_cache": False, "skip_instance_cache": True}
            self._files, self._root = core.url_to_fs(f"{address}/" if address.scheme in _WEB else address, **options)
        except ImportError as error:
            name = (error.name or "fsspec").partition(".")[0]
            raise MissingPackageError(
                Reason("storage_missing", scheme=address.scheme, package=name, extra="remote")
            ) from error
        except Exception as error:  # each file system has errors of its own
            raise failed(address, error) from error
        self._root = self._root.rstrip("/")

    def list(self, below: str = "") -> Iterator[Page]:
        """Yield all files below a directory; fsspec has all of them at once."""
        entries = self._repeated(lambda: self._found(below))
        objects = (self._object(path, facts) for path, facts in entries.items())
        while page := tuple(islice(objects, PAGE_OBJECTS)):
            yield Page(page)

    def stat(self, path: str) -> StoredObject:
        """Return a file as it is now."""
        return self._of_facts(path, self._repeated(lambda: self._files.info(self._path(path))))

    def read_range(self, object: StoredObject, start: int, stop: int) -> bytes:
        """Return bytes of a file."""
        if stop <= start:
            return b""
        return self._repeated(lambda: self._whole_range(self._path(object.path), start, stop))

    def _whole_range(self, path: str, start: int, stop: int) -> bytes:
        data = bytes(self._files.cat_file(path, start=start, end=stop))
        if len(data) > stop - start:  # a web server without ranges
            data = data[start:stop]
        return data

    def _found(self, below: str) -> Mapping[str, Any]:
        try:
            return self._files.find(self._path(below) + ("/" if self._address.scheme in _WEB else ""), detail=True)
        except FileNotFoundError:
            return {}

    def _object(self, path: str, facts: Mapping[str, Any]) -> StoredObject:
        below = path.removeprefix(self._root).lstrip("/")
        return self.stat(below) if facts.get("size") is None else self._of_facts(below, facts)

    def _of_facts(self, path: str, facts: Mapping[str, Any]) -> StoredObject:
        modified = next((facts[name] for name in _TIMES if facts.get(name)), 0.0)
        etag = next((str(facts[name]) for name in _TAGS if facts.get(name)), "")
        return StoredObject(path, int(facts.get("size") or 0), _seconds(modified), etag)

    def _path(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    def _repeated(self, call: Callable[[], T]) -> T:
        """Return the result of a call; repeats it after an error that may pass.

        Raises FileNotFoundError, StorageError.
        """
        for wait_s in _WAITS_S:
            try:
                return call()
            except (FileNotFoundError, PermissionError, NotADirectoryError):
                break
            except Exception:
                time.sleep(wait_s)
        try:
            return call()
        except (FileNotFoundError, StorageError):
            raise
        except Exception as error:
            raise failed(self._address, error) from error


def _seconds(moment: object) -> float:
    """Return a time of fsspec, in any of its forms, in seconds since 1970; 0 for an unknown one."""
    if isinstance(moment, datetime):
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    if isinstance(moment, str):
        try:
            return parsedate_to_datetime(moment).timestamp()
        except ValueError:
            return 0.0
    return float(moment) / (1000 if moment > 1e11 else 1) if isinstance(moment, int | float) else 0.0
