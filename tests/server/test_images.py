# SPDX-License-Identifier: Apache-2.0
"""Pictures over HTTP, against the values that the logs hold."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import mindscope
from mindscope.formats import mindspore
from mindscope.ingest import Catalog
from mindscope.server.images.encoded import image_damage, media_type
from mindscope.server.images.query import find_image, list_images
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.ingest.audited import opened_files

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

CUSTOM_LOOP = "mindspore/custom_loop"
TB_ALL = "tensorboard/tb_all/run_a"


class PictureLog(GrowingLog):
    """A log of pictures, whatever their bytes are."""

    def picture(self, step: int, encoded: bytes, tag: str = "input") -> None:
        image = {"height": 2, "width": 3, "colorspace": 1, "encoded_image": encoded}
        self._append(mindspore.summary_event(1000.0 + step, step, mindspore.value_field({"tag": tag, "image": image})))


def png(grey: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (3, 2), grey).save(buffer, "PNG")
    return buffer.getvalue()


def listed(live: LiveViewer, run: str, tag: str) -> dict[str, Any]:
    return live.http.get("/api/images", params={"run": run, "tag": tag}).raise_for_status().json()


def picture(live: LiveViewer, run: str, tag: str, id: str, number: int = 0) -> Any:
    return live.http.get("/api/image", params={"run": run, "tag": tag, "id": id, "picture": number})


def image_tags(run: str) -> list[str]:
    return list(mindscope.open_run(DATA / run).tags("image"))


@pytest.mark.parametrize("run", [CUSTOM_LOOP, TB_ALL])
def test_every_picture_of_a_log_is_handed_out_byte_for_byte(viewer: LiveViewer, run: str):
    opened = mindscope.open_run(DATA / run)
    assert image_tags(run)
    for tag in image_tags(run):
        answer = listed(viewer, run, tag)
        values = opened.images(tag)
        assert answer["step"] == values.step.tolist()
        assert answer["wall_time"] == values.wall_time.tolist()
        assert answer["pictures"] == len(values[-1].value)
        for id, sample in zip(answer["id"], values, strict=True):
            for number, want in enumerate(sample.value):
                got = picture(viewer, run, tag, id, number)
                assert got.content == want.encoded
                assert got.headers["content-type"] == "image/png"


def test_an_image_whose_field_is_missing_is_refused(tmp_path: Path):
    logs = tmp_path / "logs" / "run"
    logs.mkdir(parents=True)
    value = {"tag": "input", "image": {"height": 2, "width": 3}}
    (logs / TENSORBOARD_NAME).write_bytes(tensorboard_version() + tensorboard_event(1, value))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        refused = picture(live, "run", "input", listed(live, "run", "input")["id"][0])
        assert (refused.status_code, refused.json()["error"]["code"]) == (415, "field_missing")
        assert refused.json()["error"]["values"]["field"] == "'encoded_image_string'"


def test_pictures_are_those_of_the_oracle(viewer: LiveViewer):
    files = json.loads((DATA / f"{CUSTOM_LOOP}.expected.json").read_text())["files"]
    tags = [tag for file in files.values() for tag in file.get("tags", ()) if tag["plugin"] == "image"]
    for tag in tags:
        answer = listed(viewer, CUSTOM_LOOP, tag["tag"])
        assert answer["step"] == sorted(set(tag["steps"]))


def test_a_picture_may_be_kept_for_good_and_is_never_guessed_at(viewer: LiveViewer):
    tag = image_tags(CUSTOM_LOOP)[0]
    got = picture(viewer, CUSTOM_LOOP, tag, listed(viewer, CUSTOM_LOOP, tag)["id"][0])
    assert "immutable" in got.headers["cache-control"]
    assert got.headers["x-content-type-options"] == "nosniff"


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveViewer, PictureLog]]:
    """A run whose pictures were partly written by somebody who means ill."""
    room = tmp_path_factory.mktemp("odd")
    log = PictureLog(room / "logs" / "run")
    log.picture(1, png(10))
    log.picture(2, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")
    log.picture(3, b"<html><script>alert(1)</script></html>")
    log.picture(4, b"")
    log.scalar(1, 1.0)
    with running_viewer(room / "logs", room, "--reload-interval", "0.1") as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("scalar"))
        yield live, log


def test_what_is_no_picture_is_refused(odd: tuple[LiveViewer, PictureLog]):
    live, log = odd
    ids = listed(live, "run", "input")["id"]
    for id in ids[1:4]:
        got = picture(live, "run", "input", id)
        assert got.status_code == 415
        assert got.headers["content-type"] == "application/json"
        error = got.json()["error"]
        assert error["code"] == ("image_empty" if id == ids[3] else "not_an_image")
        assert error["values"]["file"] == log.path.name
        start = bytes.fromhex(error["values"].get("start", ""))
        assert log.path.read_bytes()[error["values"]["offset"] :].startswith(start)
        assert "script" not in got.text
    assert picture(live, "run", "input", ids[0]).status_code == 200


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"run": "nowhere"}, 404),
        ({"tag": "no such tag"}, 404),
        ({"tag": "loss"}, 404),
        ({"id": "0-0-0"}, 404),
        ({"id": "../../etc/passwd"}, 404),
        ({"id": "0-" + "f" * 70}, 404),
        ({"id": "0" * 81}, 422),
        ({"picture": 1}, 404),
        ({"picture": -1}, 422),
        ({"picture": 2**31}, 422),
    ],
)
def test_what_is_not_there_is_refused_in_words(odd: tuple[LiveViewer, PictureLog], query: dict[str, Any], status: int):
    live, _ = odd
    id = listed(live, "run", "input")["id"][0]
    got = live.http.get("/api/image", params={"run": "run", "tag": "input", "id": id, "picture": 0} | query)
    assert got.status_code == status
    assert set(got.json()["error"]) == {"code", "values", "message", "remedy"}


def test_ids_stay_while_the_log_grows(odd: tuple[LiveViewer, PictureLog]):
    live, log = odd
    before = listed(live, "run", "input")
    log.picture(5, png(250))
    after = eventually(lambda: (answer := listed(live, "run", "input"))["step"][-1] == 5 and answer)
    assert after["id"][:-1] == before["id"]
    assert after["version"] > before["version"]
    got = Image.open(io.BytesIO(picture(live, "run", "input", after["id"][-1]).content))
    assert np.asarray(got).tolist() == [[250] * 3] * 2


@pytest.mark.parametrize(
    ("encoded", "want"),
    [
        (b"\x89PNG\r\n\x1a\n....", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a..", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", None),
        (b"<?xml version='1.0'?><svg/>", None),
        (b"BM6\0\0\0", None),
        (b"", None),
    ],
)
def test_the_bytes_tell_the_type(encoded: bytes, want: str | None):
    assert media_type(encoded) == want


def encoded_as(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(np.arange(96, dtype=np.uint8).reshape(8, 12)).convert("RGB").save(buffer, kind)
    return buffer.getvalue()


PLACE: dict[str, str | int] = {"run": "r", "tag": "t", "step": 7, "file": "f", "offset": 1000}


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_a_picture_that_breaks_off_says_where_it_stands(kind: str):
    encoded = encoded_as(kind)
    assert image_damage(encoded, PLACE) is None
    assert image_damage(encoded + b"\0\0", PLACE) is None
    cuts = range(len(encoded)) if kind in ("PNG", "WEBP") else (len(encoded) // 2, len(encoded) - 1)
    for end in cuts:
        damage = image_damage(encoded[:end], PLACE)
        assert damage is not None
        assert damage.values["step"] == 7
        assert "byte 1000 of f" in str(damage)


def test_every_byte_of_a_png_is_checked():
    encoded = encoded_as("PNG")
    for at in range(8, len(encoded)):
        wrong = bytearray(encoded)
        wrong[at] ^= 0x40
        damage = image_damage(bytes(wrong), PLACE)
        assert damage is not None
        assert damage.code in ("image_checksum", "image_truncated")
        if damage.code == "image_checksum":
            assert 1008 <= int(damage.values["offset"]) <= 1000 + at


def test_only_values_that_came_since_are_listed(tmp_path: Path):
    log = PictureLog(tmp_path / "run")
    for step in range(20):
        log.picture(step, png(step))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    first = list_images(catalog, "run", "input")
    assert (first.kept, first.values, len(first.id)) == (0, 20, 20)
    again = list_images(catalog, "run", "input", first.cursor)
    assert (again.kept, again.values, again.id) == (20, 20, [])
    log.picture(20, png(20))
    catalog.refresh()
    grown, fresh = list_images(catalog, "run", "input", first.cursor), list_images(catalog, "run", "input")
    assert (grown.kept, grown.step, grown.id) == (20, [20], fresh.id[20:])
    assert grown.cursor == fresh.cursor
    log.picture(5, png(99))
    catalog.refresh()
    rewritten = list_images(catalog, "run", "input", first.cursor)
    assert (rewritten.kept, rewritten.values, len(rewritten.id)) == (0, 21, 21)


def test_a_picture_is_read_once(tmp_path: Path):
    log = PictureLog(tmp_path / "run")
    for step in range(3):
        log.picture(step, png(step))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    ids = list_images(catalog, "run", "input").id
    with opened_files() as opened:
        found = find_image(catalog, "run", "input", ids[1], 0)
    assert found is not None
    assert found.encoded == png(1)
    at = int(found.location["offset"])
    assert log.path.read_bytes()[at:].startswith(png(1))
    assert opened == [str(log.path)]


def test_a_value_of_several_pictures_says_how_many(tmp_path: Path):
    batch = {"dtype": 7, "tensor_shape": {"dim": [{"size": 5}]}, "string_val": [b"3", b"2", *map(png, (1, 2, 3))]}
    value = {"tag": "batch", "metadata": {"plugin_data": {"plugin_name": "images"}}, "tensor": batch}
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / TENSORBOARD_NAME.format(1)).write_bytes(tensorboard_version() + tensorboard_event(4, value))
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0") as live:
        eventually(lambda: live.runs().get(".", {}).get("tags"))
        answer = listed(live, ".", "batch")
        assert (answer["pictures"], answer["width"], answer["height"]) == (3, 3, 2)
        got = [picture(live, ".", "batch", answer["id"][0], number) for number in range(4)]
        assert [one.content for one in got[:3]] == [*map(png, (1, 2, 3))]
        assert got[3].status_code == 404
