# SPDX-License-Identifier: Apache-2.0
"""Prints the OpenAPI document: ``python -m mindscope.server.openapi_dump > ui/openapi.json``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.server.openapi import document_of
from mindscope.settings import Settings


def main() -> None:
    """Print the document of an empty viewer."""
    app = create_app(Settings(summary_base_dir=Path(), workspace=Path()), Catalog(Path()))
    json.dump(document_of(app), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
