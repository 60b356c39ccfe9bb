# SPDX-License-Identifier: Apache-2.0
"""The comparison with golden pictures names what changed, and leaves alone what did not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.browser.pictures import golden
from tests.browser.pictures.cases import all_cases


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Where pictures are taken, and where golden ones are kept."""
    (tmp_path / "taken").mkdir()
    return tmp_path / "taken", tmp_path / "golden"


def draw(folder: Path, name: str, right: int = 60) -> None:
    """A black bar on grey, as wide as ``right`` says."""
    levels = np.full((80, 100, 3), 200, np.uint8)
    levels[20:30, 40:right] = 0
    Image.fromarray(levels).save(folder / f"{name}.png")


def test_a_change_is_named_with_its_place_and_shown_beside(folders: tuple[Path, Path]) -> None:
    taken, kept = folders
    for name in ("same", "moved"):
        draw(taken, name)
    golden.accept(taken, ["same", "moved"], {"same", "moved"}, kept)
    draw(taken, "moved", 90)
    draw(taken, "new")
    new, moved = golden.changes(taken, ["same", "moved", "new"], kept)
    assert (new.name, new.box) == ("new", None)
    assert (moved.name, moved.box, moved.share) == ("moved", (60, 20, 90, 30), 0.0375)
    assert [path.name for path in (taken / "changed").iterdir()] == ["moved.png"]


def test_accepting_writes_what_changed_and_drops_what_is_gone(folders: tuple[Path, Path]) -> None:
    taken, kept = folders
    for name in ("same", "moved", "gone"):
        draw(taken, name)
    golden.accept(taken, ["same", "moved", "gone"], {"same", "moved", "gone"}, kept)
    before = {path.name: path.read_bytes() for path in kept.iterdir()}
    draw(taken, "moved", 90)
    golden.accept(taken, ["same", "moved"], {"same", "moved"}, kept)
    after = {path.name: path.read_bytes() for path in kept.iterdir()}
    assert after.keys() == {"same.webp", "moved.webp"}
    assert after["same.webp"] == before["same.webp"]
    assert golden.changes(taken, ["same", "moved"], kept) == []


def test_no_two_pictures_have_one_name() -> None:
    names = [case.name for case in all_cases()]
    assert len(names) == len({*names})
