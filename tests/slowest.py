# SPDX-License-Identifier: Apache-2.0
"""Lists the slowest tests and files of stored runs: python slowest.py FOLDER, which holds JUnit files.

With --keep SECONDS it writes slow_tests.txt: what ``make test`` leaves out, so that the rest takes SECONDS.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

TESTS = 30
FILES = 15
LONGEST_TO_STAY = 10.0
ROOT = Path(__file__).parents[1]
HEAD = f"""# What `make test` leaves to `make test-all`. The fastest test of a file stays in `make test` if it takes
# at most {LONGEST_TO_STAY:g} s.
# Written by: python tests/{Path(__file__).name} build/tests --keep SECONDS, after `make test-all`
"""


def read(folder: Path) -> dict[tuple[str, str], float]:
    """Seconds by file and name of a test. A newer run replaces what an older one says of a test."""
    tests: dict[tuple[str, str], float] = {}
    for report in sorted(folder.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        for case in ElementTree.parse(report).iter("testcase"):
            tests[case.get("classname", ""), case.get("name", "")] = float(case.get("time", 0))
    return tests


def print_slowest(tests: dict[tuple[str, str], float]) -> None:
    files: defaultdict[str, float] = defaultdict(float)
    for (file, _), seconds in tests.items():
        files[file] += seconds
    print(f"{sum(tests.values()):8.1f} s in {len(tests)} tests; the slowest files")
    for file, seconds in sorted(files.items(), key=lambda each: -each[1])[:FILES]:
        print(f"{seconds:8.1f} s {file}")
    print("the slowest tests, with their fixtures")
    for (file, name), seconds in sorted(tests.items(), key=lambda each: -each[1])[:TESTS]:
        print(f"{seconds:8.1f} s {file} {name}")


def chosen_as_slow(tests: dict[tuple[str, str], float], keep: float) -> list[str]:
    """The slowest test functions, without which the others take ``keep`` seconds.

    Of each file the fastest stays. If that takes more than ``LONGEST_TO_STAY`` seconds, as where a fixture trains for
    all tests of the file, none stays and the file is named.
    """
    seconds: defaultdict[str, float] = defaultdict(float)
    for (module, name), time in tests.items():
        path = ROOT / f"{module.replace('.', '/')}.py"
        if path.is_file():
            seconds[f"{path.relative_to(ROOT)}::{name.split('[')[0]}"] += time
    slowest = sorted(seconds, key=lambda name: -seconds[name])
    total = sum(seconds.values())
    stays = {file_of(name): name for name in slowest}
    slow: set[str] = set()
    for name in slowest:
        if total > keep and name != stays[file_of(name)]:
            slow.add(name)
            total -= seconds[name]
    whole = {file_of(name) for name in slowest if name not in slow and seconds[name] > LONGEST_TO_STAY}
    return sorted(whole | {name for name in slow if file_of(name) not in whole})


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
