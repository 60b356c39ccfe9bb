# SPDX-License-Identifier: Apache-2.0
"""Compares two large profiles in a process with limited memory, which leaves the message in a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from mindscope.errors import FormatError, ProfilePartError
from mindscope.limited_process import Report, is_large, result_folder, run_limited
from mindscope.profile.compare import diff_profiles
from mindscope.profile.compare.side import StepRange
from mindscope.profile.parts_file import bytes_of_parts, open_parts
from mindscope.profile.profile import Profile
from mindscope.reasons import Reason
from mindscope.server.profiles.diff.query import diff_message
from mindscope.server.profiles.diff.schema import DiffMessage
from mindscope.server.profiles.reader import OpenParts

_MOST_SECONDS = 900.0
_RESULT = "difference"


def is_large_diff(before: OpenParts, after: OpenParts, memory_bytes: int) -> bool:
    """Return whether two profiles are to be compared in a process with this limit.

    Calls take many times their columns.
    """
    size = sum(bytes_of_parts(each.profile) for each in (before, after))
    return is_large(size, memory_bytes, is_dense=True)


def diff_apart(
    before: OpenParts,
    after: OpenParts,
    steps_before: StepRange | None,
    steps_after: StepRange | None,
    memory_bytes: int,
    folder: Path | None,
    write_parts: Callable[[OpenParts, Path], None],
    watch: Callable[[], None],
) -> DiffMessage:
    """Compare two profiles in a process that may have this much memory.

    ``folder`` has room for files, else the system's for temporary ones has. ``write_parts`` puts parts into a file.
    Raises FormatError, OSError, and what ``watch`` raises, which is called several times a second.
    """
    with result_folder(folder) as made:
        sides = {"before": before, "after": after}
        for name, side in sides.items():
            write_parts(side, made / name)
        arguments = {
            "folder": str(made),
            "versions": {name: side.version for name, side in sides.items()},
            "steps": {"before": steps_before, "after": steps_after},
        }
        run_limited(
            diff_into, arguments, file=", ".join(side.path.name for side in sides.values()), memory_bytes=memory_bytes,
            watch=watch, most_seconds=_MOST_SECONDS,
        )  # fmt: skip
        return DiffMessage.model_validate_json((made / _RESULT).read_bytes())


def diff_into(
    folder: str, versions: dict[str, str], steps: dict[str, Sequence[int] | None], report: Report
) -> None:  # fmt: skip
    """Compare the profiles of two files, in the limited process, and write the message into a third one."""
    before, after = (_opened(Path(folder) / name, version) for name, version in versions.items())
    try:
        found = diff_profiles(before, after, _range(steps["before"]), _range(steps["after"]))
    except ProfilePartError as error:
        raise FormatError(*error.args) from error
    (Path(folder) / _RESULT).write_text(diff_message(found).model_dump_json())


def _opened(path: Path, version: str) -> Profile:
    saved = open_parts(path, version)
    if saved is None:
        raise FormatError(Reason("profile_changed", profile=path.name))
    return saved.profile


def _range(steps: Sequence[int] | None) -> StepRange | None:
    return None if steps is None else (steps[0], steps[1])
