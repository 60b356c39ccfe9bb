# SPDX-License-Identifier: Apache-2.0
"""The viewer itself."""

from __future__ import annotations

import os

from fastapi import APIRouter

from mindscope._version import VERSION
from mindscope.ingest.file_names import readable
from mindscope.named_bases import base_text
from mindscope.server.http.access import CurrentVisitor
from mindscope.server.http.api_version import API_VERSION
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.info.schema import ServerAnswer

router = APIRouter()


@router.get("/server")
async def get_server(viewer: CurrentViewer, visitor: CurrentVisitor) -> ServerAnswer:
    """Version, start time, directory and settings of the viewer."""
    refusal = visitor.refusal
    return ServerAnswer(
        version=VERSION,
        api_version=API_VERSION,
        base_dir=readable(base_text(viewer.settings.summary_base_dir)),
        reload_interval=viewer.settings.reload_interval,
        started_at=viewer.started_at,
        pid=os.getpid(),
        allow_delete=viewer.settings.allow_delete and refusal is None,
        refusal=ReasonEntry.of_text(refusal),
        user=visitor.user,
    )
