# SPDX-License-Identifier: Apache-2.0
"""Links out of the base directory, when they are to be followed: each directory once, and never in a circle."""

from __future__ import annotations

from pathlib import Path

from mindscope import open_runs
from mindscope.ingest import Catalog
from mindscope.ingest.discover import Finder
from tests.event_log import MINDSPORE_NAME, append, steps, version, visible_steps

NAME = MINDSPORE_NAME.format(5)


def make_run(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / NAME, version() + steps([1, 2]))
    return directory


def followed(base: Path) -> list[str]:
    return list(Finder(base, follow_links=True).find().runs)


def test_a_farm_of_links_is_opened_when_it_is_asked_for(tmp_path: Path) -> None:
    base = tmp_path / "farm"
    base.mkdir()
    for name in ("one", "two"):
        (base / name).symlink_to(make_run(tmp_path / "elsewhere" / name / "logs"))
    assert list(open_runs(base)) == []
    runs = open_runs(base, follow_links=True)
    assert list(runs) == ["one", "two"]
    assert runs["one"].scalars("loss").step.tolist() == [1, 2]
    assert runs.problems == ()


def test_links_in_circles_end_and_no_run_has_two_names(tmp_path: Path) -> None:
    base, outside = tmp_path / "base", tmp_path / "outside"
    make_run(base / "mine")
    make_run(outside / "deep" / "theirs")
    (base / "up").symlink_to(tmp_path)
    (base / "mine" / "back").symlink_to(base)
    (base / "same").symlink_to(outside)
    (base / "mine" / "again").symlink_to(outside / "deep")
    (outside / "deep" / "loop").symlink_to(outside)
    (outside / "deep" / "theirs" / "home").symlink_to(base)
    assert followed(base) == ["mine", "same/deep/theirs"]
    assert followed(base) == followed(base)


def test_linked_event_files_are_read_and_missing_targets_looked_for_again(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (base / "run").mkdir(parents=True)
    (base / "run" / NAME).symlink_to(make_run(tmp_path / "outside") / NAME)
    (base / "later").symlink_to(tmp_path / "later")
    finder = Finder(base, follow_links=True)
    assert list(finder.find().runs) == ["run"]
    make_run(tmp_path / "later")
    assert list(finder.find().runs) == ["later", "run"]


def test_what_grows_behind_a_link_is_read_on(tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (base / "run").symlink_to(make_run(tmp_path / "outside"))
    catalog = Catalog(base, follow_links=True)
    catalog.refresh()
    assert catalog.has_links
    assert str(base.resolve() / "run") in catalog.directories
    append(tmp_path / "outside" / NAME, steps([3]))
    assert catalog.refresh([str(base.resolve() / "run" / NAME)]) == {"run"}
    assert visible_steps(catalog.runs["run"]) == [1, 2, 3]
