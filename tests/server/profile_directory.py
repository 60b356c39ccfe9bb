# SPDX-License-Identifier: Apache-2.0
"""A viewer over profiles that a test makes, and its answers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from fastapi.testclient import TestClient

from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings


@contextmanager
def viewer_of(directory: Path, write: Callable[[Path], object]) -> Generator[TestClient]:
    """A client of a viewer whose run ``run`` has the profiles that ``write`` makes."""
    (directory / "logs" / "run").mkdir(parents=True)
    write(directory / "logs" / "run")
    settings = Settings(workspace=directory / "workspace", summary_base_dir=directory / "logs")
    catalog = Catalog(settings.summary_base_dir, settings.workspace)
    catalog.refresh()
    client = TestClient(create_app(settings, catalog), base_url="http://127.0.0.1:8080")
    with client:
        yield client
    catalog.close()


def wait_until_read(client: TestClient, profile: str) -> dict[str, str]:
    """The parameters of requests for a profile of ``run``, after it was read."""
    of = {"run": "run", "profile": profile}
    deadline = time.monotonic() + 30
    while client.get("/api/profiles/tables", params=of).json()["progress"] is not None:
        assert time.monotonic() < deadline
    return of


def columns_of(body: bytes) -> tuple[dict[str, Any], Callable[[dict[str, Any]], list[Any]]]:
    """The header of a response with columns, and a function that reads one of its columns."""
    length = int.from_bytes(body[4:8], "little")
    header: dict[str, Any] = json.loads(body[8 : 8 + length])

    def column(place: dict[str, Any]) -> list[Any]:
        count = 1 if place.get("is_constant") else place["length"]
        found: list[Any] = np.frombuffer(body, place["dtype"], count, 8 + length + place["offset"]).tolist()
        return found * place["length"] if place.get("is_constant") else found

    return header, column
