# SPDX-License-Identifier: Apache-2.0
"""User data about runs in the workspace: notes, tags, colors, pins, thresholds, views, mutes, targets, reports."""

from __future__ import annotations

from mindscope.annotations.annotations import FILE_NAME, Annotations
from mindscope.annotations.records import AnnotationChange, Contents, Record

__all__ = ["FILE_NAME", "AnnotationChange", "Annotations", "Contents", "Record"]
