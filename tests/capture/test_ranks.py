# SPDX-License-Identifier: Apache-2.0
"""Recorders of several ranks that were given one directory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import mindscope

# records once, waits for its input to end, records again
_SCRIPT = """
import sys
from mindscope import SummaryRecord

rank = float(sys.argv[2])
record = SummaryRecord(sys.argv[1], **eval(sys.argv[3]))
record.add_value("scalar", "loss", rank)
record.add_value("custom_lineage_data", "", {"rank": rank})
record.record(1)
record.flush()
print(record.log_dir, flush=True)
sys.stdin.read()
record.add_value("scalar", "loss", rank)
record.record(2)
record.close()
"""


@contextmanager
def recording(directory: Path, variables: dict[str, str], options: str = "{}") -> Iterator[tuple[Path, list[str]]]:
    """The file of a process that records, which ends with the block; and then its messages."""
    rank = next(iter(variables.values()), "0")
    environment = {name: text for name, text in os.environ.items() if "RANK" not in name and "SLURM" not in name}
    with subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, str(directory), rank, options], text=True, env=environment | variables,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        messages: list[str] = []
        yield Path(process.stdout.readline().strip()), messages
        messages += [process.communicate()[1]]
        assert process.returncode == 0, messages


def srun(rank: int) -> dict[str, str]:
    return {"SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": "2"}


def test_second_rank_in_a_directory_records_into_its_own(tmp_path: Path) -> None:
    with (
        recording(tmp_path, srun(0)) as (first, quiet),
        recording(tmp_path, srun(1)) as (second, messages),
    ):
        assert (first.parent, second.parent) == (tmp_path, tmp_path / "rank_1")
    assert quiet == [""]
    assert f"rank 0 of the training records into {tmp_path} too, so rank 1 records into {second.parent}" in messages[0]
    runs = [mindscope.open_run(path) for path in (tmp_path, tmp_path / "rank_1")]
    for rank, run in enumerate(runs):
        assert list(run.scalars("loss", overwritten=True).value) == [rank, rank]
        assert run.lineage.custom == {"rank": rank}


def test_recorders_that_share_a_directory_for_a_reason_stay_in_it(tmp_path: Path) -> None:
    with (
        recording(tmp_path, srun(0)) as (first, _),
        recording(tmp_path, srun(0), "{'file_suffix': '_EVAL'}") as (same_rank, same_quiet),
        recording(tmp_path, srun(1), "{'file_prefix': 'rank1'}") as (apart, apart_quiet),
        recording(tmp_path, {}) as (alone, alone_quiet),
    ):
        assert {path.parent for path in (first, same_rank, apart, alone)} == {tmp_path}
    assert same_quiet == apart_quiet == alone_quiet == [""]


def test_files_of_an_earlier_training_do_not_count(tmp_path: Path) -> None:
    with recording(tmp_path, srun(1)) as (earlier, _):
        pass
    os.utime(earlier, (1e9, 1e9))
    os.utime(earlier.with_name(earlier.name.replace("_MS", "_lineage")), (1e9, 1e9))
    with recording(tmp_path, srun(0)) as (later, quiet):
        assert later.parent == tmp_path
    assert quiet == [""]
