# SPDX-License-Identifier: Apache-2.0
"""Scalar series reduced for a view."""

from __future__ import annotations

from typing import Any


def compute_curves(catalog: Any, query: Any) -> Any:
    raise NotImplementedError


def find_series(catalog: Any, run: str, tag: str) -> Any:
    raise NotImplementedError
