# SPDX-License-Identifier: Apache-2.0
"""What ``mindscope run`` says of scripts that record nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.redirect.scripts import completed, run_in, said

BEGINS = {
    "wandb": "import wandb\nwandb.init(name='n')\nwandb.log({'x': 1})",
    "trackio": "import trackio\ntrackio.init(project='p', name='n')\ntrackio.log({'x': 1})",
    "swanlab": "import swanlab\nswanlab.init(project='p', experiment_name='n')\nswanlab.log({'x': 1})",
    "SummaryWriter": "from tensorboardX import SummaryWriter\ntry:\n  SummaryWriter()\nexcept OSError:\n  pass",
}


def run_blocked(folder: Path, script: str) -> list[str]:
    """Return what is said of a script whose directory has the name of a file."""
    (folder / "script.py").write_text(script)
    (folder / "blocked").touch()
    done = completed([sys.executable, "-m", "mindscope", "run", "--dir", "blocked", "script.py"], folder)
    assert done.returncode == 0, done.stderr
    return said(done)


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    headline, *reasons = run_blocked(tmp_path, "\n".join(BEGINS.values()))
    assert headline == "mindscope run: no runs; those that the script began could not be recorded"
    for library, reason in zip(BEGINS, reasons, strict=True):
        assert reason.startswith(f"  not recorded: {library}: [Errno ")
        assert f"{tmp_path}/blocked" in reason
        assert reason.endswith("; check the directory, or give another one with --dir") == (library != "SummaryWriter")


def test_a_script_that_begins_no_run_has_no_directory_to_blame(tmp_path: Path) -> None:
    begins_none = "mindscope run: no runs; the script began none with SummaryWriter, wandb, trackio or swanlab"
    assert run_blocked(tmp_path, "print('no run')") == [begins_none]


def test_a_run_that_came_stands_beside_one_that_did_not(tmp_path: Path) -> None:
    (tmp_path / "blocked").touch()
    script = f"""{BEGINS["wandb"]}
from tensorboardX import SummaryWriter
for _ in range(2):
    try:
        SummaryWriter("blocked/logs")
    except OSError:
        pass
"""
    lines = said(run_in(tmp_path, script))
    assert lines[:2] == ["mindscope run: 1 run", "  runs/n  wandb: 1 scalar"]
    assert [line.partition(": [")[0] for line in lines[2:-1]] == ["  not recorded: SummaryWriter"]
    assert lines[-1] == "  view: mindscope start runs"


def test_a_writer_without_a_disk_is_disabled_by_the_script(tmp_path: Path) -> None:
    script = "from tensorboardX import SummaryWriter\nSummaryWriter('logs', write_to_disk=False).add_scalar('x', 1, 0)"
    assert said(run_in(tmp_path, script)) == ["mindscope run: no runs; the script disabled those of SummaryWriter"]
