# SPDX-License-Identifier: Apache-2.0
"""What every handler may use of one viewer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from mindscope.ingest import Catalog
from mindscope.notebook import Notebook
from mindscope.server.alerting import Alerting
from mindscope.server.drawn import DrawnCurves
from mindscope.server.feed import Feed
from mindscope.server.hparam_tables import HparamTables
from mindscope.server.known import KnownByRun
from mindscope.server.merged_histograms import MergedHistograms
from mindscope.server.outline_schema import Outlines
from mindscope.server.run_list import RunList
from mindscope.server.spreads import GroupSpreads
from mindscope.settings import Settings

if TYPE_CHECKING:
    from mindscope.reading import Run

MOST_OUTLINES = 64


@dataclass(frozen=True, slots=True)
class Viewer:
    """One viewer. All of it is for any thread, but of the feed only ``publish`` and ``announce``."""

    settings: Settings
    catalog: Catalog
    feed: Feed
    notebook: Notebook
    alerting: Alerting
    hparams: HparamTables
    run_list: RunList
    drawn: DrawnCurves = field(default_factory=DrawnCurves)
    spreads: GroupSpreads = field(default_factory=GroupSpreads)
    merged: MergedHistograms = field(default_factory=MergedHistograms)
    outlines: KnownByRun[Outlines] = field(default_factory=lambda: KnownByRun(_read_outlines, MOST_OUTLINES))
    started_at: float = field(default_factory=time.time)
    secret: bytes = field(default_factory=lambda: os.urandom(32), repr=False)  # of the tokens that this viewer gives

    @staticmethod
    def now() -> float:
        """The wall time."""
        return time.time()

    def close(self) -> None:
        """End what waits for the viewer, and what it has open."""
        self.feed.close()
        self.alerting.stop()
        self.notebook.close()


def _read_outlines(run: Run) -> Outlines:
    from mindscope.server.outlines import outline_run  # imports graphs and lineage: not for the first answer

    return outline_run(run)


def viewer_of(request: Request) -> Viewer:
    """The viewer that ``create_app`` put into the application."""
    return cast("Viewer", request.app.state.viewer)


TheViewer = Annotated[Viewer, Depends(viewer_of)]
