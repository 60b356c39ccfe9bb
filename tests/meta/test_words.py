# SPDX-License-Identifier: Apache-2.0
"""Words that the project gave up. A failure names the file, the line and the word to use instead."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("docs", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
SUFFIXES = frozenset((".py", ".pyi", ".pyx", ".pxd", ".h", ".md", ".ts", ".svelte", ".json", ".css"))
GENERATED = ("src/mindscope/server/web/", "ui/src/core/messages/schema.ts")

NAMES: Mapping[str, str] = {
    "Abscissa": "XAxis",
    "KIND_UNTOLD": "KIND_UNKNOWN",
    "Ladder": "Ticks",
    "NoMatch": "NoResults",
    "Parted": "ChunkedArray",
    "SmallCurve": "Sparkline",
    "Swatch": "ColorPicker",
    "Taken": "PendingValue",
    "WideTable": "VirtualTable",
    "abscissa": "x_axis",
    "annotations_begun_anew": "annotations_recreated",
    "curveOrders": "curveScheduler",
    "curveQuestion": "curveQuery",
    "expression_reader": "expression_parser",
    "first_call": "graph_probe",
    "inks": "themeColors",
    "intake": "value_collector",
    "kept_values": "summary_buffer, operator_values",
    "link_to_nowhere": "dangling_symlink",
    "parted": "chunked_array",
    "picture_cut": "image_truncated",
    "place_closed": "permission_denied",
    "place_in_a_circle": "symlink_loop",
    "progressions": "step_ranges",
    "sound_cut": "audio_truncated",
    "spares": "buffer_pool",
    "tensor_places": "tensor_layout",
    "uprights": "yAxes",
}
"""Identifiers and codes of the HTTP API, anywhere in sources and documents."""

MODULES: Mapping[str, str] = {
    "abscissa": "x_axis",
    "answers": "json_response",
    "arriving": "deferred_array",
    "asked": "resource",
    "backlog": "unsaved_bytes",
    "calling": "callback_runner",
    "companions": "operator_hooks",
    "departure": "disconnect",
    "drawn": "curve_cache",
    "driven": "trainer_adapter",
    "expression_reader": "expression_parser",
    "feeding": "batches",
    "first_call": "graph_probe",
    "followed": "series_checks",
    "following": "alert_stream",
    "gathered": "batched",
    "inks": "themeColors",
    "intake": "value_collector",
    "joining": "step_join",
    "kept_values": "summary_buffer, operator_values",
    "lifetime": "exit_hooks",
    "outlines": "previews",
    "pace": "stall",
    "parted": "chunked_array",
    "pictures": "images",
    "progressions": "step_ranges",
    "rooms": "read_buffers",
    "sealing": "compaction",
    "shown": "visible_rows",
    "shrunk": "gzip",
    "sounds": "audio",
    "spares": "buffer_pool",
    "specified": "collect_options",
    "spreads": "group_cache",
    "stretch": "file_segment",
    "tail": "file_tailer",
    "taking": "pending",
    "tensor_places": "tensor_layout",
    "trouble": "drop_counter",
    "unread": "unreadable_paths",
    "uprights": "yAxes",
    "watched": "run_checks",
    "wrapping": "protobuf_fields",
}
"""Names of modules and folders."""

IDENTIFIERS: Mapping[str, str] = {"place[sd]?": "index, row, position, offset, location, path or slot"}
"""Words in identifiers of Python and Cython."""

VARIABLES: Mapping[str, int] = {"asked": 0, "drawn": 0, "shown": 5, "own": 160, "known": 185, "found": 640, "each": 913}
"""Variables and parameters of Python that don't say what they hold, and how many are left: none is added."""

KEPT_IDENTIFIERS = frozenset("Place PlaceKind places places_of ComparedTensorPlace place_ns".split())
"""Those of the one meaning that the glossary names, and names of the HTTP API."""

PHRASES: Mapping[str, str] = {
    "anew": "again",
    "asked for": "requested",
    "at hand": "current",
    "be asked": "be read, be called",
    "be had": "be read, be created",
    "be told": "be known",
    "behind(?! a (?:reverse )?proxy)": "after, past",
    "but for": "except",
    "go on by itself": "continue automatically",
    "goes on": "continues",
    "had back": "restored",
    "he": "the user, the client, it",
    "his": "the user's, its",
    "hyper-parameters?": "hyperparameters",
    "is said": "is logged, is reported",
    "let go": "release, close",
    "looked (?:at|into)": "read, checked",
    "meanwhile": "at the same time, during the call",
    "nobody": "no client, no thread, no reader",
    "of first sight": "of first occurrence",
    "so many": "the number: `size` bytes, this many rows",
    "so much": "the amount",
    "somebody": "a user, a client, another process",
    "stands?": "is, means",
    "takes? note": "note, store",
    "tells?": "reports, reads, returns",
    "where there is none": "if there is none",
    "who(?:m|so)?ever": "a client, a reader, a caller",
    r"\w*(?:colour|centre|neighbour|behaviour|normalis|emphasis[ei])\w*": "the American spelling",
}
"""Phrases, as regular expressions, in the folders of ``PROSE``."""

PROSE = (
    *DOCUMENTS,
    "ui/src",
    "src/mindscope/texts",
    *(f"src/mindscope/{name}.py" for name in "errors log rank reasons setting_values settings types".split()),
    *(
        f"src/mindscope/{folder}"
        for folder in (
            "alerts analysis annotations capture cli collector debug formats graph ingest landscape lineage mindspore "
            "reading server stats store torch"
        ).split()
    ),
)
"""Where no phrase is left. Add a folder when its prose is free of them."""

UI_TEXTS: Mapping[str, str] = {
    "Begin every run at 0": "Align runs at step 0",
    "Delete for good": "Delete permanently",
    "Digits behind the point": "Decimal places",
    "Fit the height without outliers": "Ignore outliers in y-axis scaling",
    "Leave full screen": "Exit full screen",
    "Logged steps in a row": "Consecutive steps",
    "Look at the rights of the file": "Check the file permissions",
    "Reading the tags": "Loading tags…",
    "Size of the charts": "Chart size",
    "Take out of the archive": "Unarchive",
    "The change was not kept": "Could not save the change",
    "Tick runs in the list": "Select runs in the sidebar.",
    "Way of drawing": "Display",
    "What else must hold": "Additional condition",
    "What the colors stand for": "Color scale",
    "next to nothing": "Vanishing gradients",
    "page to come": "Coming soon",
}
"""Wording of the page, in its English texts."""


def test_a_word_is_found_in_any_case_and_as_a_whole() -> None:
    text = "The other\nsays Whoever\nrenewed anew"
    assert list(found_in(text, PHRASES)) == [(2, "Whoever", PHRASES["who(?:m|so)?ever"]), (3, "anew", "again")]
    assert not list(found_in("where heed meets ShallNot", PHRASES))
    assert not list(found_in("Intake", NAMES, re.NOFLAG)), "names have a case"


def test_given_up_names_do_not_return() -> None:
    check(("src/mindscope", "ui/src", *DOCUMENTS), NAMES, re.NOFLAG)


def test_given_up_modules_do_not_return() -> None:
    paths = [path.relative_to(ROOT) for path in files_below(("src/mindscope", "ui/src"))]
    found = [(path, name) for path in paths for name in {path.stem, *path.parent.parts} if name.strip("_") in MODULES]
    assert not found, "\n".join(f"{path}: {name}, say {MODULES[name.strip('_')]}" for path, name in found)


def test_words_of_an_identifier_are_found_in_any_case() -> None:
    source = "def place_of(where):\n    LogPlaces(LAST_PLACE, is_in_place, placeholder, replace(placement), place=1)\n"
    assert [name for _, name, _ in given_up_identifiers(source)] == ["place_of", "LogPlaces", "LAST_PLACE"]


def test_given_up_words_of_identifiers_do_not_return() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}, say {better}"
        for path in files_below(("src/mindscope",))
        if path.suffix in (".py", ".pyi", ".pyx", ".pxd") and not path.name.endswith("schema.py")
        for line, name, better in given_up_identifiers(path.read_text("utf-8"))
    ]
    assert not found, "\n".join(found)


def test_variables_that_say_nothing_get_fewer() -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in (ROOT / "src/mindscope").rglob("*.py"))
    names = Counter(
        name for tree in trees for node in ast.walk(tree) for name in declared_in(node) if name in VARIABLES
    )
    more = {name: count for name, count in names.items() if count > VARIABLES[name]}
    assert not more, f"{more}: call each value what it is, as in `for operator in operators`"
    assert len(names) >= 4


def test_given_up_phrases_do_not_return() -> None:
    check(PROSE, PHRASES)


def test_given_up_texts_of_the_page_do_not_return() -> None:
    check(("ui/src/i18n/en", "src/mindscope/texts"), UI_TEXTS)


def check(sources: Iterable[str], words: Mapping[str, str], case: re.RegexFlag = re.IGNORECASE) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {word!r}, say {better}"
        for path in files_below(sources)
        for line, word, better in found_in(path.read_text("utf-8"), words, case)
    ]
    assert not found, "\n".join(found)


def files_below(sources: Iterable[str]) -> Iterator[Path]:
    for source in sources:
        for path in [ROOT / source] if (ROOT / source).is_file() else sorted((ROOT / source).rglob("*")):
            is_generated = str(path.relative_to(ROOT)).startswith(GENERATED)
            if path.suffix in SUFFIXES and path.is_file() and not is_generated:
                yield path


def found_in(text: str, words: Mapping[str, str], case: re.RegexFlag = re.IGNORECASE) -> Iterator[tuple[int, str, str]]:
    """Line, word and better word of each given-up word."""
    any_word = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", case)
    for line, content in enumerate(text.splitlines(), start=1):
        for match in any_word.finditer(content):
            yield line, match[0], next(better for word, better in words.items() if re.fullmatch(word, match[0], case))


def given_up_identifiers(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and better word of each identifier with a given-up word; a keyword of a call is a value of a text."""
    any_word = "|".join(IDENTIFIERS)
    whole = re.compile(rf"(?<![^\W_])(?<!in_)(?:{any_word})(?![^\W_])", re.IGNORECASE)
    if not (re.search(any_word, source, re.IGNORECASE) and whole.search(snake_case(source))):
        return
    tokens = [each for each in tokenize.generate_tokens(io.StringIO(source).readline) if each.type != tokenize.NL]
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        is_keyword = before.string in "(," and after.string == "="
        if token.type == tokenize.NAME and token.string not in KEPT_IDENTIFIERS and not is_keyword:
            for match in whole.finditer(snake_case(token.string)):
                word = match[0].lower()
                yield (
                    token.start[0],
                    token.string,
                    next(IDENTIFIERS[each] for each in IDENTIFIERS if re.fullmatch(each, word)),
                )


def declared_in(node: ast.AST) -> Iterator[str]:
    """The variable or parameter that a node of a syntax tree declares."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
