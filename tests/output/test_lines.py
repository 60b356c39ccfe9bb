# SPDX-License-Identifier: Apache-2.0
"""Terminal output as lines: progress bars, colors, long lines, any division into chunks."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindscope.output.file import OutputFile
from mindscope.output.lines import LONGEST_PIECE, PROGRESS_S, OutputLines

NESTED = b"outer 0\n\rinner 0\x1b[A" + b"".join(b"\n\rinner %d\x1b[A" % each for each in range(1, 50)) + b"\n\n"


def lines(*chunks: bytes, seconds: float = 0.0) -> list[bytes]:
    made = OutputLines()
    found = [each for place, chunk in enumerate(chunks) for each in made.feed(chunk, place * seconds)]
    found += made.finish()
    assert all(is_whole for text, is_whole in found if len(text) < LONGEST_PIECE)
    return [text for text, _ in found]


@pytest.mark.parametrize(("data", "want"), [
    (b"one\r\ntwo\n\nthree", [b"one", b"two", b"", b"three"]),
    (b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\n", [b"red text"]),
    (b"\r 10%\r 50%\r100%\n", [b"100%"]),
    (b"\r 10%\rdone\r\nnext\n", [b"done", b"next"]),
    (NESTED, [b"outer 0", b"inner 0", b"inner 49"]),
    ("Schritt 1 läuft\n第一步\n".encode(), ["Schritt 1 läuft".encode(), "第一步".encode()]),
])  # fmt: skip
def test_lines_are_what_a_terminal_shows(data: bytes, want: list[bytes]) -> None:
    shown = lines(data)
    assert [each for each in shown if each or b"" in want] == want
    bytewise = lines(*(data[place : place + 1] for place in range(len(data))))
    assert [each for each in bytewise if each][-1:] == [each for each in want if each][-1:]


def test_a_progress_bar_has_a_line_now_and_then_and_its_end() -> None:
    states = [b"\r%d%%" % each for each in range(101)]
    assert lines(*states, b"\n", seconds=PROGRESS_S / 25) == [b"0%", b"25%", b"50%", b"75%", b"100%"]


def test_a_line_without_end_is_written_in_pieces() -> None:
    made = OutputLines()
    pieces = list(made.feed(b"x" * (2 * LONGEST_PIECE + 5), 0.0))
    assert [(len(text), is_whole) for text, is_whole in pieces] == [(LONGEST_PIECE, False)] * 2
    assert list(made.finish()) == [(b"xxxxx", True)]


def test_a_full_file_is_renamed(tmp_path: Path) -> None:
    file = OutputFile(tmp_path / "output.log", 1000, 2)
    for number in range(100):
        file.write("stdout", [(b"line %d" % number, True)], 1e9)
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == ["output.log", "output.log.1", "output.log.2"]
    assert all(each.stat().st_size <= 1000 for each in tmp_path.iterdir())
    last = [(tmp_path / name).read_text() for name in reversed(names)]
    numbers = [int(line.rpartition(" ")[2]) for line in "".join(last).splitlines()]
    assert numbers == list(range(numbers[0], 100))


def test_what_could_not_be_written_is_counted(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("in the way")
    file = OutputFile(tmp_path / "run" / "output.log", 1 << 20, 2)
    file.write("stdout", [(b"lost", True), (b"lost too", True)], 1e9)
    (tmp_path / "run").unlink()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "output.log").write_bytes(b"torn")
    file.write("stderr", [(b"back", True)], 1e9)
    text = (tmp_path / "run" / "output.log").read_text()
    assert [line.partition(" F ")[2] for line in text.splitlines()] == ["", "[2 lines could not be written]", "back"]
