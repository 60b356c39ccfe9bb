# SPDX-License-Identifier: Apache-2.0
"""The annotations of a viewer."""

from __future__ import annotations

from mindscope.annotations import Annotations
from mindscope.ingest.file_names import readable
from mindscope.server.http.context import Viewer


def annotations_of(viewer: Viewer) -> Annotations:
    """Return the annotations in the viewer's workspace for its base directory."""
    base = readable(str(viewer.catalog.base))
    return viewer.shared(Annotations, lambda: Annotations(viewer.settings.workspace, base))
