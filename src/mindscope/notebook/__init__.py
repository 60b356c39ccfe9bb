# SPDX-License-Identifier: Apache-2.0
"""People's own data about runs, kept in the workspace: notes, tags, colours, pins, thresholds, views, mutes."""

from __future__ import annotations

from mindscope.notebook.notebook import FILE_NAME, Notebook
from mindscope.notebook.records import Change, Contents, Record

__all__ = ["FILE_NAME", "Change", "Contents", "Notebook", "Record"]
