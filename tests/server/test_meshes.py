# SPDX-License-Identifier: Apache-2.0
"""Meshes: their parts as columns, against TensorBoard's own plugin, and what is said of those that are damaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from starlette.testclient import TestClient

from mindscope import SummaryRecord
from mindscope.formats.kinds.tensor_plugins import mesh_to_tensorboard
from mindscope.ingest import Catalog
from mindscope.server.app import create_app
from mindscope.settings import Settings
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version
from tests.server.profile_directory import columns_of

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]], np.float32)
HOLED = np.where(SQUARE == 0.5, np.nan, SQUARE)
FACES = np.array([[0, 1, 2], [0, 2, 3]], np.float32)
COLORS = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 8, 7]], np.float32)

Http = Callable[[Path], TestClient]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Http]:
    with ExitStack() as opened:

        def serve(logs: Path) -> TestClient:
            catalog = Catalog(logs)
            catalog.refresh()
            app = create_app(Settings(summary_base_dir=logs, workspace=tmp_path), catalog)
            client = TestClient(app, "http://localhost")
            opened.enter_context(client)
            return client

        yield serve


def write(
    logs: Path, parts: dict[str, NDArray[Any]], config: str = "", *, drop: tuple[str, ...] = (), step: int = 3
) -> Path:
    """Write a mesh ``m`` as it is, also what a recorder refuses."""
    (logs / "run").mkdir(parents=True, exist_ok=True)
    values = mesh_to_tensorboard("m", parts, config)
    kept = [value for value in values if not value["tag"].endswith(drop or ("?",))]
    append(logs / "run" / TENSORBOARD_NAME.format(1), tensorboard_version() + tensorboard_event(step, *kept))
    return logs


def ids(http: TestClient, tag: str = "m") -> list[str]:
    return http.get("/api/values", params={"run": "run", "tag": tag, "kind": "mesh"}).json()["id"]


def mesh(http: TestClient, tag: str = "m", **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    answer = http.get("/api/mesh", params={"run": "run", "tag": tag, "id": ids(http, tag)[-1], **more})
    assert answer.status_code == 200, answer.text
    header, read = columns_of(answer.content)
    return header, {name: np.array(read(header[name]), header[name]["dtype"]) for name in ("vertex", "face", "color")}


def codes(header: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in header["problems"]]


def test_the_parts_are_one_tag(serve: Http, tmp_path: Path) -> None:
    write(tmp_path / "logs", {"VERTEX": SQUARE[None], "FACE": FACES[None], "COLOR": COLORS[None]})
    http = serve(write(tmp_path / "logs", {"VERTEX": 2 * SQUARE[None]}, step=4))
    tags = http.post("/api/tags", json={"runs": ["run"], "kind": "mesh"}).json()["tags"]
    assert [(tag["tag"], tag["points"]) for tag in tags] == [("m", 2)]
    values = http.get("/api/values", params={"run": "run", "tag": "m", "kind": "mesh"}).json()
    assert (values["tag"], values["step"]) == ("m", [3, 4])
    header, columns = mesh(http)
    assert (header["step"], header["vertices"], header["faces"], header["box"]) == (4, 4, 0, [0, 0, 0, 2, 2, 1])
    np.testing.assert_array_equal(columns["vertex"].reshape(-1, 3), 2 * SQUARE)
    assert codes(header) == []
    unknown = http.get("/api/mesh", params={"run": "run", "tag": "m", "id": "no"})
    assert unknown.status_code == 404
    assert unknown.json()["error"]["code"] == "value_not_found"


def test_meshes_of_a_batch(serve: Http, tmp_path: Path) -> None:
    both = {"VERTEX": np.stack([SQUARE, SQUARE + 1]), "FACE": np.stack([FACES, FACES[::-1]])}
    http = serve(write(tmp_path / "logs", both, '{"camera": {"fov": 60}}'))
    header, columns = mesh(http, item=1)
    assert (header["batch"], json.loads(header["config"])) == (2, {"camera": {"fov": 60}})
    np.testing.assert_array_equal(columns["vertex"].reshape(-1, 3), SQUARE + 1)
    np.testing.assert_array_equal(columns["face"].reshape(-1, 3), FACES[::-1])
    assert mesh(http, item=7)[0]["vertices"] == 0


@pytest.mark.parametrize(
    ("parts", "config", "drop", "code", "vertices", "faces", "colors"),
    [
        ({"FACE": [[[0, 1, 2], [0, 2, 4]]]}, "", (), "mesh_faces_out", 4, 1, 0),
        ({"FACE": [[[0, 1, 2], [-1, 2, 3]]]}, "", (), "mesh_faces_out", 4, 1, 0),
        ({"FACE": [[[0, 1, 2], [0, 1.5, 3]]]}, "", (), "mesh_faces_out", 4, 1, 0),
        ({"FACE": [[[0, 1, 2], [0, np.nan, 3]]]}, "", (), "mesh_faces_out", 4, 1, 0),
        ({"FACE": np.empty((1, 0, 3))}, "", (), "mesh_no_faces", 4, 0, 0),
        ({"FACE": FACES[None]}, "", ("_FACE",), "mesh_part_missing", 4, 0, 0),
        ({"FACE": [[0, 1], [2, 3]]}, "", (), "mesh_shape", 4, 0, 0),
        ({"COLOR": COLORS[None, :2]}, "", (), "mesh_colors_unlike", 4, 0, 0),
        ({"COLOR": COLORS[None] / 512}, "", (), "mesh_color_fractions", 4, 0, 4),
        ({"VERTEX": HOLED[None], "FACE": FACES[None]}, "", (), "mesh_not_finite", 3, 1, 0),
        ({"VERTEX": np.full((1, 4, 3), np.inf)}, "", (), "mesh_not_finite", 0, 0, 0),
        ({}, "[1]", (), "mesh_config", 4, 0, 0),
        ({}, "{", (), "mesh_config", 4, 0, 0),
    ],
)  # fmt: skip
def test_damage_is_named(
    serve: Http, tmp_path: Path, parts: dict[str, Any], config: str, drop: tuple[str, ...], code: str,
    vertices: int, faces: int, colors: int,
) -> None:  # fmt: skip
    arrays = {name: np.asarray(part, np.float32) for name, part in {"VERTEX": SQUARE[None], **parts}.items()}
    header, columns = mesh(serve(write(tmp_path / "logs", arrays, config, drop=drop)))
    assert codes(header) == [code]
    assert (header["vertices"], header["faces"], len(columns["color"])) == (vertices, faces, 3 * colors)
    assert np.isfinite(columns["vertex"]).all()
    assert (columns["face"] < max(1, vertices)).all()


def test_a_mesh_without_vertices_or_of_complex_numbers(serve: Http, tmp_path: Path) -> None:
    logs = write(tmp_path / "logs", {"VERTEX": SQUARE[None], "COLOR": COLORS[None]}, drop=("_VERTEX",))
    header, _ = mesh(serve(logs))
    assert (header["vertices"], codes(header)) == (0, ["mesh_part_missing", "mesh_colors_unlike"])
    header, _ = mesh(serve(write(tmp_path / "other", {"VERTEX": SQUARE[None].astype(np.complex64)})))
    assert (header["vertices"], codes(header)) == (0, ["mesh_dtype"])


def test_a_sample_is_said_and_is_of_recorded_points(serve: Http, tmp_path: Path) -> None:
    points = np.random.default_rng(1).random((5000, 3)).astype(np.float32)
    http = serve(write(tmp_path / "logs", {"VERTEX": points[None], "COLOR": np.rint(points * 255)[None]}))
    header, columns = mesh(http, most=500)
    few = columns["vertex"].reshape(-1, 3)
    assert (header["vertices"], few.shape) == (5000, (500, 3))
    np.testing.assert_array_equal(columns["color"].reshape(-1, 3), np.rint(few * 255))
    np.testing.assert_array_equal(mesh(http, most=500)[1]["vertex"], columns["vertex"])
    assert {tuple(point) for point in few.tolist()} <= {tuple(point) for point in points.tolist()}
    assert mesh(http, most=5000)[1]["vertex"].size == 15000


def test_a_reduced_mesh_keeps_its_shape(serve: Http, tmp_path: Path) -> None:
    side = 60
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    grid = np.stack([x, y, x * y], -1).reshape(1, -1, 3).astype(np.float32)
    corner = np.arange(side * side).reshape(side, side)[:-1, :-1].reshape(-1, 1)
    halves = np.array([[0, 1, side], [1, side + 1, side]])
    faces = (corner + halves[:, np.newaxis]).reshape(1, -1, 3).astype(np.float32)
    header, columns = mesh(serve(write(tmp_path / "logs", {"VERTEX": grid, "FACE": faces})), most=500)
    vertex, face = columns["vertex"].reshape(-1, 3), columns["face"].reshape(-1, 3)
    assert (header["vertices"], header["faces"]) == (3600, faces.shape[1])
    assert 150 < len(vertex) <= 500
    a, b, c = (vertex[face[:, corner]][:, :2] for corner in range(3))
    areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert areas.sum() == pytest.approx(1, abs=0.15)
    assert (areas >= -1e-6).mean() > 0.98, "the faces look to the same side"
    assert len({tuple(sorted(one)) for one in face.tolist()}) == len(face)


@pytest.mark.framework
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the sanitizer that TensorBoard brings along
@pytest.mark.parametrize("library", ["torch", "tensorboardX", "mindscope"])
def test_values_are_those_of_the_plugin_of_tensorboard(serve: Http, tmp_path: Path, library: str) -> None:
    random = np.random.default_rng(2)
    vertices = random.random((2, 30, 3)).astype(np.float32)
    colors = random.integers(0, 256, (2, 30, 3))
    faces = random.integers(0, 30, (2, 40, 3))
    config = {"camera": {"cls": "PerspectiveCamera", "fov": 75}}
    logs = tmp_path / "logs"
    if library == "mindscope":
        with SummaryRecord(str(logs / "run"), raise_exception=True) as record:
            for step in (1, 5):
                given = {"vertices": vertices * step, "colors": colors, "faces": faces, "config": config}
                record.add_value("mesh", "a/b", given)
                record.record(step)
    else:
        module = pytest.importorskip("torch.utils.tensorboard" if library == "torch" else library)
        torch = pytest.importorskip("torch")
        with module.SummaryWriter(str(logs / "run")) as writer:
            for step in (1, 5):
                parts = [torch.tensor(part) for part in (vertices * step, colors, faces)]
                writer.add_mesh("a/b", *parts, config_dict=config, global_step=step)
    header, columns = mesh(serve(logs), "a/b", item=1)
    assert (header["step"], header["batch"], codes(header), json.loads(header["config"])) == (5, 2, [], config)
    for part, dtype in (("VERTEX", np.float32), ("FACE", np.int32), ("COLOR", np.uint8)):
        want = plugin_data(logs, {"run": "run", "tag": "a/b", "step": "5", "sample": "1", "content_type": part})
        np.testing.assert_array_equal(columns[part.lower()], np.frombuffer(want, dtype))


def plugin_data(logs: Path, query: dict[str, str]) -> bytes:
    """Return what TensorBoard's plugin sends to its page."""
    from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
    from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.mesh.mesh_plugin import MeshPlugin
    from werkzeug.test import Client

    events: Any = EventMultiplexer(tensor_size_guidance={"mesh": 0})
    events.AddRunsFromDirectory(str(logs))
    events.Reload()
    provider: Any = MultiplexerDataProvider(events, str(logs))
    plugin: Any = MeshPlugin(base_plugin.TBContext(data_provider=provider, sampling_hints={}))
    answer: Any = Client(plugin.get_plugin_apps()["/data"]).get("/", query_string=query)
    assert answer.status_code == 200
    return answer.get_data()
