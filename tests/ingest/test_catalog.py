# SPDX-License-Identifier: Apache-2.0
"""The catalog follows what happens below a base directory, and looks at no more than it has to."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.errors import RunNotFoundError
from mindscope.ingest import Catalog, RunLoader
from mindscope.store import RunStore
from tests.event_log import DATA, MINDSPORE_NAME, append, content, scalar_points, steps, version, visible_steps

from .audited import listed_directories, opened_files
from .test_discover import settle

NAME = MINDSPORE_NAME.format(1)


def write_run(base: Path, id: str, count: int = 1) -> Path:
    directory = base / id
    directory.mkdir(parents=True, exist_ok=True)
    append(directory / NAME, version() + steps(range(count)))
    return directory / NAME


def test_the_first_refresh_reads_all(tmp_path: Path) -> None:
    write_run(tmp_path, "b", 3)
    write_run(tmp_path, "a/deep", 2)
    catalog = Catalog(tmp_path)
    assert dict(catalog.runs) == {}
    assert catalog.refresh() == {"a/deep", "b"}
    assert list(catalog.runs) == ["a/deep", "b"]
    assert visible_steps(catalog.run("b")) == [0, 1, 2]


def test_a_refresh_names_the_runs_that_changed(tmp_path: Path) -> None:
    grows = write_run(tmp_path, "grows")
    write_run(tmp_path, "quiet")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    assert catalog.refresh() == frozenset()
    append(grows, steps([5]))
    assert catalog.refresh() == {"grows"}
    write_run(tmp_path, "new")
    assert catalog.refresh() == {"new"}
    append(tmp_path / "quiet" / MINDSPORE_NAME.format(2), version() + steps([7]))
    assert catalog.refresh() == {"quiet"}
    assert visible_steps(catalog.run("quiet")) == [0, 7]


def test_what_goes_is_forgotten(tmp_path: Path) -> None:
    first = write_run(tmp_path, "run")
    second = tmp_path / "run" / MINDSPORE_NAME.format(2)
    append(second, version() + steps([0, 1], first_value=10.0))
    catalog = Catalog(tmp_path)
    catalog.refresh()
    assert scalar_points(catalog.run("run")) == [(0, 10.0), (1, 11.0)]
    second.unlink()
    assert catalog.refresh() == {"run"}
    assert scalar_points(catalog.run("run")) == [(0, 0.0)]
    first.unlink()
    assert catalog.refresh() == {"run"}
    assert dict(catalog.runs) == {}
    with pytest.raises(RunNotFoundError, match="no run “run” in"):
        catalog.run("run")


def test_a_run_that_was_moved_comes_under_its_new_id(tmp_path: Path) -> None:
    write_run(tmp_path, "old", 2)
    catalog = Catalog(tmp_path)
    catalog.refresh()
    (tmp_path / "old").rename(tmp_path / "new")
    assert catalog.refresh() == {"old", "new"}
    assert visible_steps(catalog.run("new")) == [0, 1]


def test_versions_grow_with_changes_only(tmp_path: Path) -> None:
    path = write_run(tmp_path, "run")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    versions = catalog.version, catalog.list_version
    catalog.refresh()
    assert (catalog.version, catalog.list_version) == versions
    append(path, steps([5]))
    catalog.refresh()
    assert catalog.version > versions[0]
    assert catalog.list_version == versions[1]
    write_run(tmp_path, "other")
    catalog.refresh()
    assert catalog.list_version > versions[1]


def test_a_snapshot_of_the_runs_stays_as_it_is(tmp_path: Path) -> None:
    write_run(tmp_path, "run")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    runs = catalog.runs
    write_run(tmp_path, "other")
    catalog.refresh()
    assert list(runs) == ["run"]
    assert isinstance(runs["run"], RunStore)
    assert runs["run"] is catalog.runs["run"]


def test_hints_look_at_their_runs_only(tmp_path: Path) -> None:
    hinted, other = write_run(tmp_path, "hinted"), write_run(tmp_path, "other")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    append(hinted, steps([5]))
    append(other, steps([5]))
    with listed_directories() as listed:
        assert catalog.refresh([str(hinted.resolve())]) == {"hinted"}
    assert listed == []
    assert visible_steps(catalog.run("other")) == [0]
    assert catalog.refresh() == {"other"}


def test_a_hint_at_a_file_not_known_yet_looks_at_everything(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    catalog.refresh()
    path = write_run(tmp_path, "new")
    assert catalog.refresh([str(path)]) == {"new"}


def test_listeners_hear_of_the_list_before_the_values(tmp_path: Path) -> None:
    write_run(tmp_path, "run")
    catalog = Catalog(tmp_path)
    heard: list[tuple[frozenset[str], list[int]]] = []
    catalog.refresh(on_change=lambda ids: heard.append((ids, visible_steps(catalog.run("run")))))
    assert heard == [(frozenset({"run"}), []), (frozenset({"run"}), [0])]


def test_quiet_runs_cost_neither_listing_nor_opening(tmp_path: Path) -> None:
    for number in range(200):
        write_run(tmp_path, f"run_{number}")
        settle(tmp_path / f"run_{number}")
    settle(tmp_path)
    catalog = Catalog(tmp_path)
    assert len(catalog.refresh()) == 200
    with listed_directories() as listed, opened_files() as opened:
        assert catalog.refresh() == frozenset()
        assert listed == []
        assert opened == []
        append(tmp_path / "run_7" / NAME, steps([9]))
        opened.clear()
        assert catalog.refresh() == {"run_7"}
        assert opened == [str(tmp_path.resolve() / "run_7" / NAME)]


def test_places_that_were_left_out_are_told_once_and_until_they_are_mended(tmp_path: Path) -> None:
    link, told = tmp_path / "run" / NAME, list[frozenset[str]]()
    link.parent.mkdir()
    catalog = Catalog(tmp_path)
    catalog.refresh()
    link.symlink_to(NAME)
    assert catalog.refresh(on_change=told.append) == frozenset()
    assert [place.path for place in catalog.unreadable] == [str(link)]
    version = catalog.version
    catalog.refresh(on_change=told.append)
    assert (told, catalog.version) == ([frozenset()], version)
    link.unlink()
    write_run(tmp_path, "run")
    assert catalog.refresh(on_change=told.append) == {"run"}
    assert catalog.unreadable == ()


def test_a_base_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "later")
    assert catalog.refresh() == frozenset()
    write_run(tmp_path / "later", "run")
    assert catalog.refresh() == {"run"}


@pytest.mark.parametrize("log", ["mindspore", "tensorboard"])
def test_real_logs_are_read_alike_by_catalog_and_loader(log: str) -> None:
    catalog = Catalog(DATA / log)
    catalog.refresh()
    assert catalog.runs
    found = catalog._finder.find()
    for id, store in catalog.runs.items():
        loader = RunLoader(found.runs[id])
        loader.read_all()
        assert content(store) == content(loader.store)
