# SPDX-License-Identifier: Apache-2.0
"""A figure of Matplotlib that saves itself as journals want it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any, cast

import matplotlib
from matplotlib.figure import Figure

SAVING = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "mindscope"}
"""TrueType fonts, which journals require in place of Type 3, and ids in SVG that don't change."""
_PNG_DPI, _DISPLAY_DPI = 300, 200
_rc_context = cast(Any, matplotlib).rc_context


class PaperFigure(Figure):
    """A figure of Matplotlib that saves itself with embedded fonts, and shows itself in every notebook."""

    def savefig(self, fname: Any, *, transparent: bool | None = None, **kwargs: Any) -> None:
        """As ``Figure.savefig``. Without SOURCE_DATE_EPOCH the file has no date, so that equal data is equal bytes."""
        format = _format_of(fname, kwargs)
        undated = {"pdf": "CreationDate", "svg": "Date"}.get(format)
        if undated is not None and "SOURCE_DATE_EPOCH" not in os.environ:
            kwargs["metadata"] = {undated: None, **(kwargs.get("metadata") or {})}
        with _rc_context({**SAVING, "savefig.dpi": _PNG_DPI}):
            super().savefig(fname, transparent=transparent, **kwargs)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=_DISPLAY_DPI)
        width, height = (round(inches * _DISPLAY_DPI / 2) for inches in self.get_size_inches())
        return file.getvalue(), {"width": width, "height": height}


def _format_of(fname: Any, kwargs: dict[str, Any]) -> str:
    path = str(fname) if isinstance(fname, str | Path) else ""
    return str(kwargs.get("format") or path.rpartition(".")[2]).lower()
