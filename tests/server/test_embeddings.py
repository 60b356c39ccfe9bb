# SPDX-License-Identifier: Apache-2.0
"""Embeddings over HTTP, against what was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from sklearn.datasets import load_digits

import mindscope
from mindscope.server.embeddings.schema import EmbeddingGraphHeader, EmbeddingHeader, EmbeddingMetadataHeader

from .live_viewer import Columns, LiveViewer, check_header, eventually, running_viewer, unpack

DIGITS: Any = load_digits()
VECTORS = DIGITS.data[:300].astype(np.float32)
IMAGES = DIGITS.images[:300, None] / 16


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    logs = tmp_path_factory.mktemp("logs")
    columns: dict[str, Any] = {
        "metadata": [[str(digit), f"{digit}/{row}"] for row, digit in enumerate(DIGITS.target[:300])]
    }
    with mindscope.SummaryRecord(logs / "run") as record:
        for step in (1, 2):
            value: dict[str, Any] = {
                "vectors": VECTORS * step,
                **columns,
                "metadata_header": ["digit", "name"],
                "images": IMAGES,
            }
            record.add_value("embedding", "digits", value)
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
    (logs / "run/00001/digits/sprite.png").write_bytes(b"<svg/>")
    with running_viewer(logs, tmp_path_factory.mktemp("viewer"), "--reload-interval", "0") as live:
        eventually(lambda: len(live.runs()) == 1)
        yield live


def entries(viewer: LiveViewer) -> list[dict[str, Any]]:
    answer = viewer.http.post("/api/embeddings", json={"runs": ["run", "nix"]}).raise_for_status().json()
    assert answer["unlisted"] == []
    return answer["embeddings"]


def key(viewer: LiveViewer, index: int = 1) -> dict[str, Any]:
    entry = entries(viewer)[index]
    return {name: entry[name] for name in ("run", "name", "version")}


def get(viewer: LiveViewer, part: str, **params: Any) -> httpx.Response:
    return viewer.http.get(f"/api/embeddings/{part}", params=params)


def complete(viewer: LiveViewer, part: str, model: Any, **params: Any) -> Columns:
    def read() -> Columns | None:
        answer = unpack(get(viewer, part, **params).raise_for_status().content)
        check_header(model, answer)
        assert answer.header["problem"] is None
        return None if answer.header["progress"] else answer

    return eventually(read)


def column(answer: Columns, name: str) -> np.ndarray:
    entry = answer.header[name]
    return np.frombuffer(answer.data, entry["dtype"], entry["length"], entry["offset"])


def test_embeddings_are_listed_by_tag_and_step(digits: LiveViewer) -> None:
    assert [(entry["tag"], entry["step"], entry["problem"]) for entry in entries(digits)] == [
        ("digits", 1, None),
        ("digits", 2, None),
    ]


def test_points_and_their_graph(digits: LiveViewer) -> None:
    answer = complete(digits, "points", EmbeddingHeader, **key(digits))
    facts = answer.header["facts"]
    assert (facts["points"], facts["total"], facts["dimensions"], facts["sprite"]) == (300, 300, 64, [8, 8])
    assert [(each["name"], each["distinct"], each["is_number"]) for each in facts["columns"]] == [
        ("digit", 10, True),
        ("name", 300, False),
    ]
    assert column(answer, "rows").tolist() == list(range(300))
    assert column(answer, "coordinates").shape == (3000,)
    explained = column(answer, "explained")
    assert 0 < explained.sum() < 1
    assert (np.diff(explained) <= 0).all()
    graph = complete(digits, "graph", EmbeddingGraphHeader, **key(digits), count=15)
    assert graph.header["count"] == 15
    assert column(graph, "neighbors").shape == column(graph, "distances").shape == (4500,)


def test_metadata_and_neighbors(digits: LiveViewer) -> None:
    answer = unpack(get(digits, "metadata", **key(digits), column="digit").raise_for_status().content)
    check_header(EmbeddingMetadataHeader, answer)
    np.testing.assert_array_equal(column(answer, "numbers"), DIGITS.target[:300])
    near = get(digits, "neighbors", **key(digits), point=4, metric="euclidean", count=3).raise_for_status().json()
    apart = np.sqrt(np.square(2 * (VECTORS - VECTORS[4])).sum(axis=1))
    assert near["points"] == np.argsort(apart)[1:4].tolist()
    np.testing.assert_allclose(near["distances"], np.sort(apart)[1:4])


def test_sprite_is_a_picture_and_nothing_else(digits: LiveViewer) -> None:
    sprite = get(digits, "sprite", **key(digits)).raise_for_status()
    assert sprite.headers["content-type"] == "image/png"
    assert sprite.content.startswith(b"\x89PNG")
    other = get(digits, "sprite", **key(digits, 0))
    assert (other.status_code, other.json()["error"]["code"]) == (404, "embedding_sprite")


@pytest.mark.parametrize(
    ("part", "change", "status", "code"),
    [
        ("points", {"name": "nix"}, 404, "embedding_not_found"),
        ("points", {"version": "1-1"}, 409, "embedding_changed"),
        ("metadata", {"column": "nix"}, 404, "embedding_not_found"),
        ("neighbors", {"point": 300}, 404, "embedding_point_not_found"),
        ("graph", {"count": 1000}, 422, "invalid_request"),
        ("neighbors", {"point": 0, "metric": "nix"}, 422, "invalid_request"),
    ],
)
def test_what_is_not_there_is_refused(
    digits: LiveViewer, part: str, change: dict[str, Any], status: int, code: str
) -> None:
    complete(digits, "points", EmbeddingHeader, **key(digits))
    answer = get(digits, part, **{**key(digits), **change})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_files_that_can_not_be_read_are_named(tmp_path: Path) -> None:
    run = tmp_path / "logs/run"
    with mindscope.SummaryRecord(run) as record:
        record.add_value("embedding", "a", VECTORS)
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    (run / "00001/a/tensors.tsv").write_text("1\t2\n3\n")
    with (run / "projector_config.pbtxt").open("a") as file:
        file.write('embeddings { tensor_name: "b" tensor_path: "/etc/passwd" }\n')
        file.write('embeddings { tensor_name: "c" tensor_path: "missing.tsv" }\n')
    with running_viewer(run.parent, tmp_path / "viewer", "--reload-interval", "0") as live:
        eventually(lambda: len(live.runs()) == 1)
        first, second, third = entries(live)
        assert second["problem"]["code"] == "embedding_outside"
        assert third["problem"]["code"] == "file_not_found"

        def read() -> Any:
            params = {name: first[name] for name in ("run", "name", "version")}
            return unpack(get(live, "points", **params).raise_for_status().content).header["problem"]

        assert eventually(read)["code"] == "embedding_line"
        (run / "projector_config.pbtxt").write_text("embeddings {")
        answer = live.http.post("/api/embeddings", json={"runs": ["run"]}).raise_for_status().json()
        assert [each["problem"]["code"] for each in answer["unlisted"]] == ["embedding_config_damaged"]
