# SPDX-License-Identifier: Apache-2.0
"""What every handler may use of one viewer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request

from mindscope.config import Settings
from mindscope.ingest import Catalog
from mindscope.server.drawn import DrawnCurves
from mindscope.server.feed import Feed


@dataclass(frozen=True, slots=True)
class Viewer:
    """One viewer. The catalog and the drawn curves are for any thread, the feed for the event loop but ``publish``."""

    settings: Settings
    catalog: Catalog
    feed: Feed
    drawn: DrawnCurves = field(default_factory=DrawnCurves)
    started_at: float = field(default_factory=time.time)


def viewer_of(request: Request) -> Viewer:
    """The viewer that ``create_app`` put into the application."""
    return cast("Viewer", request.app.state.viewer)


TheViewer = Annotated[Viewer, Depends(viewer_of)]
