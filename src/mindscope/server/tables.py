# SPDX-License-Identifier: Apache-2.0
"""Series as text tables."""

from __future__ import annotations

from typing import Any


def csv_file_name(run: str, tag: str) -> str:
    raise NotImplementedError


def scalar_csv_chunks(series: Any) -> Any:
    raise NotImplementedError
