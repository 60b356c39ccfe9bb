# SPDX-License-Identifier: Apache-2.0
"""The story of a run as files: command, script, settings, installed packages, difference to the commit of git."""

from __future__ import annotations

import os
import shlex
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from mindscope.artifacts.recorded_files import checked_name
from mindscope.capture.files.git import git_output
from mindscope.capture.files.packages import installed_packages
from mindscope.capture.files.recorder import FileRecorder
from mindscope.capture.files.story import Start
from mindscope.capture.masking.masked_text import is_secret_file, mask_diff, mask_text
from mindscope.capture.masking.secrets import masked

MOST_TEXT_BYTES = 1 << 20
"""Bytes of a text; a larger script or settings file is left out, a longer difference is cut."""
MOST_SETTINGS = 50
"""Settings files that the arguments name."""
MOST_UNTRACKED = 1000
_GIT_SECONDS = 20.0
_SETTINGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf", ".gin", ".hocon")
_OF_INSTALLATION = ("stdlib", "platstdlib", "purelib", "platlib", "scripts")


def add_story(recorder: FileRecorder, start: Start) -> None:
    """Add all parts; one that fails is logged and does not affect the others."""
    for part in (_add_command, _add_packages, _add_script, _add_settings, _add_git):
        recorder.attempt(lambda part=part: part(recorder, start))


def _add_command(recorder: FileRecorder, start: Start) -> None:
    words = list(masked(start.command))
    count = sum("MASKED" in word and "MASKED" not in raw for word, raw in zip(words, start.command, strict=True))
    recorder.add_text("command.txt", shlex.join(words) + "\n", "command", masked=count)


def _add_packages(recorder: FileRecorder, start: Start) -> None:
    lines = installed_packages(start.path)
    if lines:
        text = mask_text("\n".join(lines) + "\n", "requirements.txt")
        recorder.add_text("requirements.txt", text.text, "packages", masked=text.masked)


def _add_script(recorder: FileRecorder, start: Start) -> None:
    if start.script is not None and not _is_installed(start.script):
        _add_file(recorder, f"code/{start.script.name}", start.script, "code")


def _add_settings(recorder: FileRecorder, start: Start) -> None:
    used: set[str] = set()
    for number, path in enumerate(_settings_of(start)):
        name = f"config/{_name_of(path, start.directory)}"
        if number >= MOST_SETTINGS:
            recorder.leave_out(name, "config", "too_many")
            return
        if name in used:
            name = f"config/{number}/{path.name}"
        used.add(name)
        _add_file(recorder, name, path, "config")


def _settings_of(start: Start) -> Iterator[Path]:
    """Yield the files that arguments name, each once: ``--config a.yaml``, ``--config=a.yaml``, ``@a.yaml``."""
    seen: set[Path] = set()
    for argument in start.arguments:
        for text in dict.fromkeys((argument, argument.partition("=")[2], argument.lstrip("@"))):
            if not text.lower().endswith(_SETTINGS) or len(text) > 4096 or "\0" in text:
                continue
            path = start.directory / text if start.directory else Path(text)
            with suppress(OSError, ValueError):
                if path.is_file() and (real := path.resolve()) not in seen:
                    seen.add(real)
                    yield path


def _name_of(path: Path, directory: Path | None) -> str:
    """Return the path below the current directory, else the name of the file."""
    with suppress(ValueError, OSError):
        if directory is not None:
            return checked_name(Path(os.path.normpath(path)).relative_to(directory).as_posix())
    return path.name


def _add_file(recorder: FileRecorder, name: str, path: Path, kind: str) -> None:
    name = checked_name(name)
    if is_secret_file(path.name) or is_secret_file(path.resolve().name):
        recorder.leave_out(name, kind, "secrets")
        return
    try:
        with path.open("rb") as file:
            data = file.read(MOST_TEXT_BYTES + 1)
    except OSError:
        recorder.leave_out(name, kind, "unreadable")
        return
    if len(data) > MOST_TEXT_BYTES:
        recorder.leave_out(name, kind, "too_large")
    elif b"\0" in data:
        recorder.leave_out(name, kind, "binary")
    else:
        text = mask_text(data.decode("utf-8", "replace"), path.name)
        recorder.add_text(name, text.text, kind, masked=text.masked)


def _add_git(recorder: FileRecorder, start: Start) -> None:
    is_own = start.script is not None and not _is_installed(start.script)
    near = [start.script.resolve().parent] if start.script is not None and is_own else []
    roots = (_root_of(directory) for directory in (*near, start.directory) if directory is not None)
    root = next((root for root in roots if root is not None), None)
    if root is None:
        return
    head = git_output(root, "rev-parse", "--verify", "-q", "HEAD", seconds=_GIT_SECONDS)
    base = "HEAD" if head is not None and head[1] else "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # of no files
    options = (
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--submodule=short",
        "--src-prefix=a/",
        "--dst-prefix=b/",
    )
    difference = git_output(root, "diff", *options, base, seconds=_GIT_SECONDS, most_bytes=MOST_TEXT_BYTES)
    if difference is not None and difference[0]:
        printed, is_whole = difference
        text = mask_diff(printed if is_whole else printed[: printed.rfind("\n") + 1])
        recorder.add_text("git_diff.patch", text.text, "git_diff", is_cut=not is_whole, masked=text.masked)
    elif difference is not None and difference[1] and recorder.has("git_diff.patch"):
        recorder.add_text("git_diff.patch", "", "git_diff")  # an earlier process of the run had changes
    _add_untracked(recorder, root)


def _add_untracked(recorder: FileRecorder, root: Path) -> None:
    arguments = ("ls-files", "--others", "--exclude-standard", "-z")
    listed = git_output(root, *arguments, seconds=_GIT_SECONDS, most_bytes=MOST_TEXT_BYTES)
    if listed is None or not listed[0]:
        return
    run = f"{os.path.relpath(recorder.run.resolve(), root)}/"
    names, is_whole = [name for name in listed[0].split("\0")[:-1] if not name.startswith(run)], listed[1]
    if not names:
        return
    lines = [_line_of(name) for name in names[:MOST_UNTRACKED]]
    is_cut = not is_whole or len(names) > MOST_UNTRACKED
    recorder.add_text("untracked_files.txt", "\n".join(lines) + "\n", "untracked", is_cut=is_cut)


def _line_of(name: str) -> str:
    """Return a name on one line."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def _root_of(directory: Path) -> Path | None:
    answer = git_output(directory, "rev-parse", "--show-toplevel", seconds=_GIT_SECONDS)
    return Path(answer[0].rstrip("\n")) if answer is not None and answer[1] and answer[0].strip() else None


def _is_installed(script: Path) -> bool:
    """Return whether a program is part of Python or of an installed package, such as pytest or torchrun."""
    with suppress(OSError, ValueError):
        directories = {Path(sysconfig.get_path(name)).resolve() for name in _OF_INSTALLATION}
        return any(script.resolve().is_relative_to(directory) for directory in directories)
    return False
