# SPDX-License-Identifier: Apache-2.0
"""Lists the slowest tests and files of stored runs: python slowest.py FOLDER, which holds JUnit files."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

TESTS = 30
FILES = 15


def main(folder: Path) -> None:
    """Print seconds and names. A newer run replaces what an older one says of a test."""
    tests: dict[tuple[str, str], float] = {}
    for report in sorted(folder.glob("*.xml"), key=lambda path: path.stat().st_mtime):
        for case in ElementTree.parse(report).iter("testcase"):
            tests[case.get("classname", ""), case.get("name", "")] = float(case.get("time", 0))
    files: defaultdict[str, float] = defaultdict(float)
    for (file, _), seconds in tests.items():
        files[file] += seconds
    print(f"{sum(tests.values()):8.1f} s in {len(tests)} tests; the slowest files")
    for file, seconds in sorted(files.items(), key=lambda each: -each[1])[:FILES]:
        print(f"{seconds:8.1f} s {file}")
    print("the slowest tests, with their fixtures")
    for (file, name), seconds in sorted(tests.items(), key=lambda each: -each[1])[:TESTS]:
        print(f"{seconds:8.1f} s {file} {name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
