# SPDX-License-Identifier: Apache-2.0
"""Runs, tags and damages of a catalog as messages."""

from __future__ import annotations

from typing import Any

from mindscope.server.schema import DamagesAnswer, RunsAnswer, TagsAnswer, TagsQuery


def summarize_runs(catalog: Any) -> RunsAnswer:
    raise NotImplementedError


def summarize_tags(catalog: Any, query: TagsQuery) -> TagsAnswer:
    raise NotImplementedError


def list_damages(catalog: Any, run: str) -> DamagesAnswer:
    raise NotImplementedError
