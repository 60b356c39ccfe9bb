# SPDX-License-Identifier: Apache-2.0
"""The notebook of a viewer."""

from __future__ import annotations

from mindscope.ingest.file_names import readable
from mindscope.notebook import Notebook
from mindscope.server.http.context import Viewer


def notebook_of(viewer: Viewer) -> Notebook:
    """The notebook in the viewer's workspace for its base directory."""
    base = readable(str(viewer.catalog.base))
    return viewer.shared(Notebook, lambda: Notebook(viewer.settings.workspace, base))
