# SPDX-License-Identifier: Apache-2.0
"""Texts, sounds and hyper-parameters as a person meets them, against the logs' own readers."""

from __future__ import annotations

import csv
import io
import json
import re
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.audio.metadata import create_summary_metadata
from tensorboard.plugins.audio.plugin_data_pb2 import AudioPluginData
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util.tensor_util import make_tensor_proto

import mindscope
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import card, expect_view

OpenPage = Callable[[LiveViewer, str], Page]
TB_ALL = "run=tensorboard%2Ftb_all%2Frun_a"
IS_PAINTED = """canvas => {
  if (canvas.width <= 100) return false;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  return copy.getImageData(0, 0, canvas.width, canvas.height).data.some((level, place) => place % 4 === 3 && level > 0);
}"""


def tb_all() -> mindscope.Run:
    return mindscope.open_run(DATA / "tensorboard" / "tb_all" / "run_a")


def test_a_text_is_read_step_by_step(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/texts?{TB_ALL}")
    texts = tb_all().texts("note/text_summary")
    shown = card(page, "note/text_summary")
    expect(shown.get_by_test_id("markdown").locator("strong")).to_have_text("270")
    expect(shown).to_have_css("height", re.compile(r"^2\d\d(\.\d+)?px$"))  # a line does not take the whole page
    shown.get_by_test_id("text").press("ArrowLeft")
    expect(shown.get_by_test_id("step")).to_have_text(f"Step {texts[-2].step}")
    shown.get_by_test_id("card-step").press("Home")
    expect(shown.get_by_test_id("step")).to_have_text(f"Step {texts[0].step}")
    expect(shown.get_by_test_id("text")).to_contain_text("step 0 text")
    page.get_by_test_id("text-way").get_by_text("Plain").click()
    expect(shown.get_by_test_id("text")).to_contain_text(texts[0].value[0])
    expect_view(page, "text", "plain")


def test_a_sound_says_its_rate_and_is_played(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/audio?{TB_ALL}")
    sound = tb_all().audio("tone")[-1].value
    with wave.open(io.BytesIO(sound.encoded)) as file:
        rate, channels = file.getframerate(), file.getnchannels()
    shown = card(page, "tone")
    expect(shown.get_by_test_id("sound-facts")).to_contain_text(f"{rate // 1000}\u2009{rate % 1000:03d} Hz")
    expect(shown.get_by_test_id("sound-facts")).to_contain_text(f"{channels} channel")
    expect(shown).to_contain_text("0:01.0")
    until(page, lambda: shown.get_by_test_id("waveform").evaluate(IS_PAINTED))
    place = shown.get_by_test_id("sound-place")
    place.press("End")
    expect(place).to_have_attribute("aria-valuetext", "0:01.0")
    place.press("Home")
    shown.get_by_test_id("sound-play").click()
    expect(place).not_to_have_attribute("aria-valuetext", "0:00.0")
    place.press("End")
    expect(shown.get_by_test_id("sound-play")).to_have_accessible_name("Play")  # nothing else goes on while it is saved
    expect(place).to_have_attribute("aria-valuetext", "0:01.0")
    box = shown.bounding_box()
    assert box is not None
    assert box["height"] <= 250, "a waveform is not seen better when it is higher"
    saved = {kind: saved_sound(page, kind) for kind in ("sound", "png", "svg", "csv", "json")}
    assert saved["sound"] == ("tone_0.wav", sound.encoded)
    assert saved["png"][1].startswith(b"\x89PNG")
    assert "tone · tensorboard/tb_all/run_a · Step 0" in saved["svg"][1].decode()
    rows = list(csv.DictReader(io.StringIO(saved["csv"][1].decode())))
    with wave.open(io.BytesIO(sound.encoded)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)[::channels]
    np.testing.assert_allclose([float(row["value"]) for row in rows], samples / 32768, atol=2e-4)
    np.testing.assert_allclose(json.loads(saved["json"][1])["samples"], samples / 32768, atol=2e-4)
    np.testing.assert_allclose([float(row["time_s"]) for row in rows], np.arange(len(samples)) / rate, atol=1e-9)


def test_each_clip_of_a_batch_is_played_and_saved(tmp_path: Path, open_page: OpenPage):
    write_batches(tmp_path / "logs" / "run", {1: 3, 2: 2})
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/audio")
        shown = card(page, "tone")
        expect(shown.get_by_test_id("step")).to_have_text("Step 2")
        shown.get_by_test_id("card-step").press("Home")
        choice = shown.get_by_test_id("sound-clip")
        expect(choice.locator("option")).to_have_text(["Clip 1 / 3", "Clip 2 / 3", "Clip 3 / 3"])
        expect(shown).to_contain_text("0:00.1")
        choice.select_option("Clip 3 / 3")
        expect(shown).to_contain_text("0:00.3")
        until(page, lambda: shown.get_by_test_id("waveform").evaluate(IS_PAINTED))
        assert saved_sound(page, "sound") == ("tone_1_3.wav", batch_of(3)[2])
        name, table = saved_sound(page, "csv")
        assert name == "run_tone_1_3.csv"
        assert len(table.splitlines()) == 1 + 2400
        shown.get_by_test_id("card-step").press("End")
        expect(choice.locator("option")).to_have_text(["Clip 1 / 2", "Clip 2 / 2"])
        expect(choice).to_have_value("1")  # this step has no third clip
        expect(shown).to_contain_text("0:00.2")
        page.get_by_test_id("language").click()
        page.get_by_test_id("language-zh").click()
        expect(choice.locator("option")).to_have_text(["第 1 / 2 段", "第 2 / 2 段"])


def write_batches(run: Path, clips: dict[int, int]) -> None:
    """Writes ``clips`` sounds at each step with TensorBoard's own writer, laid out as ``tf.summary.audio`` does."""
    writer = EventFileWriter(str(run))
    for step, count in clips.items():
        rows = np.array([[clip, b""] for clip in batch_of(count)], object)
        summary = Summary()
        metadata = create_summary_metadata("", "", AudioPluginData.WAV)
        summary.value.add(tag="tone", metadata=metadata, tensor=make_tensor_proto(rows))
        writer.add_event(Event(step=step, wall_time=float(step), summary=summary))
    writer.close()


def batch_of(count: int) -> list[bytes]:
    """WAVs at 8 kHz: 0.1 s, 0.2 s, ..."""
    return [wave_of(800 * number) for number in range(1, count + 1)]


def wave_of(frames: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes((8000 * np.sin(np.arange(frames) / 20)).astype(np.int16).tobytes())
    return buffer.getvalue()


def saved_sound(page: Page, kind: str) -> tuple[str, bytes]:
    card(page, "tone").hover()
    card(page, "tone").get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"download-{kind}").click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def test_empty_pages_say_how_to_fill_them(viewer: LiveViewer, open_page: OpenPage):
    run = "run=mindspore%2Fcustom_loop"
    for path, code in (
        ("/texts", "add_text"),
        ("/audio", "add_audio"),
        ("/pr-curves", "add_pr_curve"),
    ):
        page = open_page(viewer, f"{path}?{run}")
        expect(page.get_by_test_id("empty")).to_contain_text(code)
        page.close()


def test_a_sound_that_arrives_is_there_at_once(tmp_path: Path, open_page: OpenPage):
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    log = run / TENSORBOARD_NAME.format(1)
    log.write_bytes(tensorboard_version())

    def write(step: int, most: int | None = None) -> None:
        buffer = io.BytesIO()
        with wave.open(buffer, "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", ""))
            file.writeframes(np.zeros(800 * step, np.int16).tobytes())
        audio = {"sample_rate": 8000.0, "num_channels": 1, "length_frames": 800 * step, "content_type": "audio/wav"}
        value = {"tag": "tone", "audio": {**audio, "encoded_audio_string": buffer.getvalue()[:most]}}
        with log.open("ab") as file:
            file.write(tensorboard_event(step, value))

    write(1)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        page = open_page(live, "/audio")
        expect(card(page, "tone").get_by_test_id("step")).to_have_text("Step 1")
        write(2)
        shown = card(page, "tone")
        expect(shown.get_by_test_id("step")).to_have_text("Step 2")
        expect(shown).to_contain_text("0:00.2")
        shown.get_by_test_id("card-step").press("Home")
        expect(shown.get_by_test_id("step")).to_have_text("Step 1")
        expect(shown).to_contain_text("0:00.1")
        page.get_by_test_id("restore-all").click()
        expect(shown.get_by_test_id("step")).to_have_text("Step 2")
        expect(shown).not_to_have_css("height", "340px")
        page.get_by_test_id("chart-size").click()
        page.get_by_test_id("chart-size-large").click()
        expect(shown).to_have_css("height", "340px")
        write(3, most=844)
        cut = re.compile(r"at step 3 breaks off after 844 of 4844 bytes, from byte \d+ of ")
        expect(shown.get_by_role("alert")).to_contain_text(cut)
