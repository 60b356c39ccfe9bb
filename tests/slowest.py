# SPDX-License-Identifier: Apache-2.0
"""Lists the slowest tests and files of stored runs: python slowest.py FOLDER, which holds JUnit files.

With --keep SECONDS it writes slow_tests.txt: what ``make test`` leaves out, so that the rest takes SECONDS.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

TESTS = 30
FILES = 15
LONGEST_TO_STAY = 10.0
SETUP = "setup_seconds"
"""The property of a test in JUnit's format that has the seconds of its fixtures."""
ROOT = Path(__file__).parents[1]
HEAD = f"""# What `make test` leaves to `make test-all`. The fastest test of a file stays in `make test` if it and
# the fixtures of the file take at most {LONGEST_TO_STAY:g} s each.
# Written by: python tests/{Path(__file__).name} build/tests --keep SECONDS, after `make test-all`
"""


class Seconds(NamedTuple):
    """How long a test takes with its fixtures, and how long those of them take that it makes."""

    total: float
    setup: float = 0.0


def read(folder: Path) -> dict[tuple[str, str], Seconds]:
    """Seconds by file and name of a test. A newer run replaces what an older one says of a test."""
    tests: dict[tuple[str, str], Seconds] = {}
    for report in sorted(folder.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        for case in ElementTree.parse(report).iter("testcase"):
            setup = case.find(f"properties/property[@name='{SETUP}']")
            seconds = Seconds(float(case.get("time", 0)), 0.0 if setup is None else float(setup.get("value", 0)))
            tests[case.get("classname", ""), case.get("name", "")] = seconds
    return tests


def print_slowest(tests: dict[tuple[str, str], Seconds]) -> None:
    files: defaultdict[str, float] = defaultdict(float)
    for (file, _), seconds in tests.items():
        files[file] += seconds.total
    print(f"{sum(files.values()):8.1f} s in {len(tests)} tests; the slowest files")
    for file, total in sorted(files.items(), key=lambda each: -each[1])[:FILES]:
        print(f"{total:8.1f} s {file}")
    print("the slowest tests, with their fixtures")
    for (file, name), seconds in sorted(tests.items(), key=lambda each: -each[1].total)[:TESTS]:
        print(f"{seconds.total:8.1f} s {file} {name}")


def chosen_as_slow(tests: dict[tuple[str, str], Seconds], keep: float) -> list[str]:
    """The slowest test functions, without which the others take ``keep`` seconds.

    Of each file the fastest stays. A file is named whole if that or a fixture takes more than ``LONGEST_TO_STAY``
    seconds: without the test that makes the fixture, the next one would make it.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    setup: defaultdict[str, float] = defaultdict(float)
    for (module, name), each in tests.items():
        file = f"{module.replace('.', '/')}.py"
        if (ROOT / file).is_file():
            seconds[f"{file}::{name.split('[')[0]}"] += each.total
            setup[file] = max(setup[file], each.setup)
    slowest = sorted(seconds, key=lambda name: -seconds[name])
    fastest = {file_of(name): name for name in slowest}
    whole = {file for file, name in fastest.items() if max(seconds[name], setup[file]) > LONGEST_TO_STAY}
    total = sum(time for name, time in seconds.items() if file_of(name) not in whole)
    slow = sorted(whole)
    for name in slowest:
        if total > keep and file_of(name) not in whole and name != fastest[file_of(name)]:
            slow.append(name)
            total -= seconds[name]
    return sorted(slow)


def file_of(name: str) -> str:
    return name.split("::")[0]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keep", type=float, metavar="SECONDS")
    arguments = parser.parse_args()
    tests = read(arguments.folder)
    print_slowest(tests)
    if arguments.keep is not None:
        lines = chosen_as_slow(tests, arguments.keep)
        Path(__file__).with_name("slow_tests.txt").write_text(HEAD + "".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    main()
