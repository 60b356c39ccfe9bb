# SPDX-License-Identifier: Apache-2.0
"""Writes event files of the runs in a repository of Aim, which its own package reads in another process."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mindscope.cli import aim_script
from mindscope.errors import MindscopeError
from mindscope.reasons import Reason
from mindscope.tensorboard import SummaryWriter


def imported_runs(repository: Path, out: Path, python: str) -> Iterator[tuple[Path, bool]]:
    """Write each run once; yields its directory and whether it is new. Raises MindscopeError, OSError."""
    script = Path(aim_script.__file__).read_text("utf-8")  # not as a file, whose neighbors hide modules of others
    command = [python, "-c", script, os.fspath(repository.absolute())]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True) as process,
    ):
        assert process.stdout is not None
        lines = (json.loads(line) for line in process.stdout)
        for first in lines:
            directory = out / _safe(first["run"])
            is_new = not directory.exists()
            if is_new:
                _write(first, lines, directory)
            else:
                for message in lines:
                    if "end" in message:
                        break
            yield directory, is_new
        if process.wait():
            errors.seek(0)
            raise _failure(str(errors.read(), "utf-8", "replace"), python)


def _failure(output: str, python: str) -> MindscopeError:
    last = output.strip().rpartition("\n")[2]
    code = "aim_missing" if "ModuleNotFoundError" in last else "aim_failed"
    return MindscopeError(Reason(code, python=python, why=last))


def _safe(name: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_" else "_" for sign in name)


def _write(first: dict[str, Any], lines: Iterable[dict[str, Any]], directory: Path) -> None:
    """Write a run beside its directory first, so that the directory is whole when it appears."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".", dir=directory.parent))
    try:
        is_whole = False
        with SummaryWriter(str(made)) as writer:
            for message in lines:
                if "end" in message:
                    is_whole = True
                    break
                tag = _tag(message["metric"], message["context"])
                for step, value, time in sorted(message["rows"], key=lambda row: row[0]):
                    writer.add_scalar(tag, value, step, None if time is None or math.isnan(time) else time)
        facts = {name: value for name, value in first["facts"].items() if value}
        (made / "params.json").write_text(json.dumps({**first["params"], "aim": facts}), "utf-8")
        made.chmod(0o755)
        if is_whole:
            made.rename(directory)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _tag(name: str, context: dict[str, Any]) -> str:
    parts = [str(value) if key == "subset" else f"{key}={value}" for key, value in sorted(context.items())]
    return "/".join([name, *parts])
