# SPDX-License-Identifier: Apache-2.0
"""The interface of a remote store: list, stat, read a range. obstore and fsspec are behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from mindscope.errors import StorageError
from mindscope.reasons import Reason
from mindscope.storage.addresses import masked


class StoredObject(NamedTuple):
    """An object below the address of a store. Another identity means other content, or more of it."""

    path: str
    """Relative to the address, with ``/``."""
    size: int
    """In bytes."""
    modified_at: float
    """In seconds since 1970, by the clock of the store."""
    etag: str = ""
    """What the store says changes with the content; empty if it says nothing."""


class Page(NamedTuple):
    """A part of a listing, which is one request where the store has pages."""

    objects: tuple[StoredObject, ...]
    refused: tuple[str, ...] = ()
    """Paths whose names the carrier can't read; a directory stands for all objects in it."""


class ObjectReplacedError(StorageError):
    """The object has another identity than the one that was asked for."""


class Storage(Protocol):
    """Reads what is below one address. For any thread. Each method retries what may pass by itself."""

    def list(self, below: str = "") -> Iterator[Page]:
        """Yield all objects at any depth below a directory; nothing if it does not exist. Raises StorageError."""
        ...

    def stat(self, path: str) -> StoredObject:
        """Return an object as it is now. Raises FileNotFoundError, StorageError."""
        ...

    def read_range(self, object: StoredObject, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to before ``stop``.

        Raises FileNotFoundError, ObjectReplacedError if the object is another one now, StorageError.
        """
        ...


def failed(address: str, error: BaseException) -> StorageError:
    """Return the error for what a store refused or failed to do, without the secrets of its text."""
    first = masked(str(error)).partition("\n\nDebug source")[0].strip() or type(error).__name__
    return StorageError(Reason("storage_failed", address=address, detail=first[:500]))
