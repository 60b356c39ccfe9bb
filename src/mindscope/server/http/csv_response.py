# SPDX-License-Identifier: Apache-2.0
"""CSV as the body of a response."""

from __future__ import annotations

import re

from fastapi.responses import StreamingResponse


class CsvResponse(StreamingResponse):
    """Text with a header line."""

    media_type = "text/csv"


def csv_file_name(run: str, tag: str) -> str:
    """Return a file name that is valid on each file system and in a header."""
    return re.sub(r"[^A-Za-z0-9._-]+", "_", f"{run}_{tag}").strip("._")[:120] + ".csv"
