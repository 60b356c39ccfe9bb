# SPDX-License-Identifier: Apache-2.0
"""What every handler may use: the settings, the catalog and the feed of one viewer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from mindscope.config import Settings
from mindscope.ingest import Catalog
from mindscope.server.feed import Feed


@dataclass(frozen=True, slots=True)
class Viewer:
    """One viewer. The catalog may be read from any thread, the feed only from the event loop but for ``publish``."""

    settings: Settings
    catalog: Catalog
    feed: Feed
    started_at: float = field(default_factory=time.time)


def viewer_of(request: Request) -> Viewer:
    """The viewer that ``create_app`` put into the application."""
    return cast("Viewer", request.app.state.viewer)


TheViewer = Annotated[Viewer, Depends(viewer_of)]
