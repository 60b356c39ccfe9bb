# SPDX-License-Identifier: Apache-2.0
"""Settings files of a run: in its directory, and the file of Hydra in a directory above."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindscope.ingest import Catalog, Finder, RunLoader, find_run
from mindscope.store import RunCache
from tests.event_log import MINDSPORE_NAME, append, version


def run(base: Path, id: str) -> Path:
    (base / id).mkdir(parents=True, exist_ok=True)
    append(base / id / MINDSPORE_NAME.format(1), version())
    return base / id


def write(path: Path, text: str = "a: 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def found(base: Path) -> dict[str, list[str]]:
    """The settings files of each run, below the base."""
    runs = Finder(base).find().runs
    return {id: [os.path.relpath(file.path, base) for file in each.settings] for id, each in runs.items()}


def test_a_job_of_hydra_writes_events_below_its_directory(tmp_path: Path) -> None:
    job = tmp_path / "outputs" / "2024-01-01" / "12-00-00"
    write(job / ".hydra" / "config.yaml")
    write(job / ".hydra" / "overrides.yaml")
    run(job, "tb")
    run(job, "deep/er/train")
    run(tmp_path, "other")
    want = ["outputs/2024-01-01/12-00-00/.hydra/config.yaml"]
    assert found(tmp_path) == {
        "other": [],
        "outputs/2024-01-01/12-00-00/deep/er/train": want,
        "outputs/2024-01-01/12-00-00/tb": want,
    }
    assert found(job) == {"deep/er/train": [".hydra/config.yaml"], "tb": [".hydra/config.yaml"]}
    assert found(job / "tb") == {".": []}  # not beyond the base


def test_each_job_of_a_multirun_has_its_own_file(tmp_path: Path) -> None:
    for number in range(3):
        job = tmp_path / "multirun" / "2024-01-01" / "12-00-00" / str(number)
        write(job / ".hydra" / "config.yaml")
        write(run(job, "lightning_logs/version_0") / "hparams.yaml")
    write(tmp_path / "multirun" / "2024-01-01" / "12-00-00" / "multirun.yaml")
    got = found(tmp_path / "multirun")
    assert got == {
        f"2024-01-01/12-00-00/{number}/lightning_logs/version_0": [
            f"2024-01-01/12-00-00/{number}/lightning_logs/version_0/hparams.yaml",
            f"2024-01-01/12-00-00/{number}/.hydra/config.yaml",
        ]
        for number in range(3)
    }


def test_lightning_writes_beside_the_events(tmp_path: Path) -> None:
    write(run(tmp_path, "lightning_logs/version_0") / "hparams.yaml")
    run(tmp_path, "lightning_logs/version_1")
    write(tmp_path / "config.yaml")  # of something else: only Hydra's directory names its job
    assert found(tmp_path) == {
        "lightning_logs/version_0": ["lightning_logs/version_0/hparams.yaml"],
        "lightning_logs/version_1": [],
    }


def test_the_nearest_file_counts_and_that_of_another_run_does_not(tmp_path: Path) -> None:
    write(tmp_path / ".hydra" / "config.yaml")
    write(tmp_path / "job" / ".hydra" / "config.yaml")
    write(run(tmp_path, "job/own") / ".hydra" / "config.yaml")
    write(run(tmp_path, "train") / ".hydra" / "config.yaml")
    run(tmp_path, "train/loss_a")  # as add_scalars of TensorBoard writes
    run(tmp_path, "without")
    run(tmp_path, "without/below")
    run(tmp_path, "job/tb")
    assert found(tmp_path) == {
        "job/own": ["job/own/.hydra/config.yaml"],
        "job/tb": ["job/.hydra/config.yaml"],
        "train": ["train/.hydra/config.yaml"],
        "train/loss_a": [],
        "without": [".hydra/config.yaml"],
        "without/below": [],
    }


def test_files_of_a_run_by_precedence(tmp_path: Path) -> None:
    for name in ("config.yaml", ".hydra/config.yaml", "hparams.yaml", "params.yaml", "params.json", "other.yaml"):
        write(run(tmp_path, "a") / name)
    want = ["a/params.json", "a/params.yaml", "a/hparams.yaml", "a/.hydra/config.yaml", "a/config.yaml"]
    assert found(tmp_path) == {"a": want}
    alone = find_run(tmp_path / "a")
    assert alone is not None
    assert [os.path.relpath(file.path, tmp_path) for file in alone.settings] == want


def test_a_directory_and_a_link_are_named_to_be_reported(tmp_path: Path) -> None:
    path = run(tmp_path, "a")
    (path / "config.yaml").mkdir()
    (path / "params.json").symlink_to(path / "params.json")
    write(tmp_path / "hydra" / "config.yaml")
    (path / ".hydra").symlink_to(tmp_path / "hydra")
    assert found(tmp_path) == {"a": ["a/params.json", "a/.hydra/config.yaml", "a/config.yaml"]}


@pytest.mark.parametrize("is_named", [True, False], ids=["the path is told", "all is looked at"])
def test_a_change_is_one_of_the_runs_that_use_the_file(tmp_path: Path, is_named: bool) -> None:
    for number in range(3):
        run(tmp_path, f"job/{number}")
        run(tmp_path, f"alone/{number}")
    shared = write(tmp_path / "job" / ".hydra" / "config.yaml")
    own = write(tmp_path / "alone" / "1" / "params.json", "{}")
    catalog = Catalog(tmp_path)
    catalog.refresh()

    def refresh(path: Path) -> frozenset[str]:
        return catalog.refresh([str(path)] if is_named else None)

    listed, versions = catalog.list_version, {id: store.version for id, store in catalog.runs.items()}
    write(shared, "a: 20\n")
    assert refresh(shared) == {"job/0", "job/1", "job/2"}
    write(own, '{"b": 1}')
    assert refresh(own) == {"alone/1"}
    assert refresh(own) == frozenset()
    assert catalog.refresh([str(tmp_path / "elsewhere" / "config.yaml")]) == frozenset()
    assert catalog.list_version == listed
    assert {id for id, store in catalog.runs.items() if store.version != versions[id]} == {
        "alone/1", "job/0", "job/1", "job/2",
    }  # fmt: skip
    own.unlink()
    assert refresh(own) == {"alone/1"}
    assert catalog.runs["alone/1"].settings == ()


def test_a_new_and_a_removed_directory_of_hydra_are_found(tmp_path: Path) -> None:
    run(tmp_path, "job/tb")
    catalog = Catalog(tmp_path)
    catalog.refresh()
    path = write(tmp_path / "job" / ".hydra" / "config.yaml")
    assert catalog.refresh() == {"job/tb"}
    path.rename(path.with_name("other.yaml"))
    assert catalog.refresh() == {"job/tb"}
    assert catalog.refresh() == frozenset()


def test_a_restored_run_has_nothing_to_save(tmp_path: Path) -> None:
    """Each start would write the cache of all runs again otherwise."""
    write(run(tmp_path / "base", "a") / "params.json", "{}")
    cache = RunCache(tmp_path / "workspace", str(tmp_path / "base"), 1 << 20)
    found = find_run(tmp_path / "base" / "a")
    assert found is not None
    first = RunLoader(found, cache=cache)
    first.read_all()
    assert first.is_save_due
    first.save()
    cache.close()
    cache = RunCache(tmp_path / "workspace", str(tmp_path / "base"), 1 << 20)
    restored = RunLoader(found, cache=cache)
    assert not restored.read_all()
    assert (restored.is_save_due, restored.scanned_bytes) == (False, 0)
    cache.close()
