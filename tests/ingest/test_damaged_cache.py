# SPDX-License-Identifier: Apache-2.0
"""A cache that was damaged, is of another version, or whose writer was killed is not believed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mindscope.store import run_index as index_module
from mindscope.types import Kind
from tests.event_log import TENSORBOARD_NAME, append, steps, tensorboard_event, tensorboard_version
from tests.formats.test_videos import PICTURES

from .cached import NEWER, cache_files, contents, fresh, opened, write_logs


def flip(path: Path) -> None:
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 4
    path.write_bytes(bytes(damaged))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("damage", [flip, cut, empty, Path.unlink])
def test_a_damaged_file_of_the_cache_is_not_believed(
    base: Path, workspace: Path, damage: Callable[[Path], None], number: int
) -> None:
    with opened(base, workspace):
        pass
    files = cache_files(workspace)
    assert len(files) == 5  # the index; scalars and references of both runs
    damage(files[number])
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)
        damage(files[number]) if files[number].exists() else None  # a viewer is looking meanwhile
        assert contents(catalog) == fresh(base)
    with opened(base, workspace) as catalog:
        assert contents(catalog) == fresh(base)


def test_any_bit_of_the_index_may_flip(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    (index,) = workspace.glob("cache/*/runs.index")
    whole, want = index.read_bytes(), fresh(base)
    for place in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        index.write_bytes(bytes(damaged))
        with opened(base, workspace) as catalog:
            assert contents(catalog) == want


def test_a_cache_of_another_format_is_not_believed(base: Path, workspace: Path) -> None:
    with opened(base, workspace):
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "FORMAT", index_module.FORMAT + 1)
        with opened(base, workspace) as catalog:
            assert catalog.scanned_bytes > 0
            assert contents(catalog) == fresh(base)
        with opened(base, workspace) as catalog:
            assert catalog.scanned_bytes == 0
        assert len(cache_files(workspace)) == 5


def test_images_of_a_cache_from_before_videos_are_read_again(tmp_path: Path, workspace: Path) -> None:
    image = {"height": 6, "width": 8, "colorspace": 3, "encoded_image_string": PICTURES["animated"]}
    log = tmp_path / "logs" / "run" / TENSORBOARD_NAME.format(1)
    log.parent.mkdir(parents=True)
    append(log, tensorboard_version() + tensorboard_event(1, {"tag": "walk", "image": image}))
    with opened(log.parents[1], workspace):
        pass
    (path,) = workspace.glob("cache/*/runs.index")
    base = index_module.read_base(path)
    assert base
    states = index_module.RunIndex(path, base).load()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "FORMAT", 5)
        index_module.RunIndex(path, base).write({id: without_videos(*state) for id, state in states.items()})
    with opened(log.parents[1], workspace) as catalog:
        assert catalog.runs["run"].tag_counts() == {Kind.VIDEO: 1}
        assert contents(catalog) == fresh(log.parents[1])
    with opened(log.parents[1], workspace) as catalog:
        assert catalog.scanned_bytes == 0


def without_videos(state: dict[str, Any], series: bytes) -> index_module.State:
    assert b'"video"' in series
    return {**state, "tag_counts": {"image": 1}}, series.replace(b'"video"', b'"image"')


KILLED = """
import os, signal, sys
from pathlib import Path
from mindscope.ingest import Catalog, unsaved_bytes, run_loader
run_loader.SAVE_INTERVAL_S = 0.0
base, workspace, number = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
unsaved_bytes.MAX_UNSAVED_BYTES = int(sys.argv[5])
rest = number

def watch(name, details):
    global rest
    if name in ("open", "os.rename", "os.remove") and str(workspace) in str(details[0]):
        rest -= 1
        if rest < 0:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
catalog = Catalog(base, workspace)
for part in range(3):
    with (base / "a" / sys.argv[4]).open("ab") as file:
        file.write((base / f"part.{part}").read_bytes())
    catalog.refresh()
    catalog.wait_until_saved()
catalog.close()
"""


@pytest.mark.parametrize("backlog", [0, 1 << 30], ids=["while reading", "behind"])
def test_killed_at_any_step_of_sealing(tmp_path: Path, backlog: int) -> None:
    """The process is killed at the first, second, ... time it touches a file of the cache, until it gets through."""
    number, outcome = 0, -signal.SIGKILL
    while outcome == -signal.SIGKILL:
        base, workspace = tmp_path / str(number) / "base", tmp_path / str(number) / "workspace"
        write_logs(base)
        for part in range(3):
            (base / f"part.{part}").write_bytes(steps(range(12 + 4 * part, 16 + 4 * part), first_value=7.0))
        arguments = [sys.executable, "-c", KILLED, str(base), str(workspace), str(number), NEWER, str(backlog)]
        outcome = subprocess.run(arguments, env=os.environ | {"PYTHONWARNINGS": "ignore"}).returncode
        with opened(base, workspace) as catalog:
            assert contents(catalog) == fresh(base), number
        with opened(base, workspace) as catalog:
            assert contents(catalog) == fresh(base), number
            assert catalog.scanned_bytes == 0
        number += 3
    assert outcome == 0
    assert number > 20
