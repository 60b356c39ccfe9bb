# SPDX-License-Identifier: Apache-2.0
"""The context of a request: the viewer. Resources keep their objects in it with ``shared``."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import RLock
from typing import Annotated, Protocol, TypeVar, cast, runtime_checkable

from fastapi import Depends, Request

from mindscope.ingest import Catalog
from mindscope.settings import Settings

T = TypeVar("T")


@runtime_checkable
class Closable(Protocol):
    """An object that holds a thread, a file or a connection."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Viewer:
    """One viewer: its settings, its runs, and one object of each type that a resource shares. For any thread."""

    settings: Settings
    catalog: Catalog
    started_at: float = field(default_factory=time.time)
    secret: bytes = field(default_factory=lambda: os.urandom(32), repr=False)
    """Signs the tokens of this viewer."""
    _lock: RLock = field(default_factory=RLock, repr=False)
    _shared: dict[type[object], object] = field(default_factory=dict[type[object], object], repr=False)
    """Shared objects by type, in the order of completed construction: an object comes after the objects that it
    uses.
    """

    def shared(self, kind: type[T], make: Callable[[], T] | None = None) -> T:
        """Return the object of ``kind`` of this viewer. The first call makes it with ``make``, or without arguments."""
        with self._lock:
            if kind not in self._shared:
                self._shared[kind] = (make or kind)()
            return cast("T", self._shared[kind])

    @staticmethod
    def now() -> float:
        """Return the current wall time."""
        return time.time()

    def close(self) -> None:
        """Close the shared objects that can be closed, the newest first."""
        with self._lock:
            for each in reversed(self._shared.values()):
                if isinstance(each, Closable):
                    each.close()
            self._shared.clear()


async def viewer_of(request: Request) -> Viewer:
    """Return the viewer of the application. Asynchronous, because FastAPI runs a synchronous dependency in a thread."""
    return cast("Viewer", request.app.state.viewer)


CurrentViewer = Annotated[Viewer, Depends(viewer_of)]
