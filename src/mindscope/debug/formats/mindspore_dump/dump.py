# SPDX-License-Identifier: Apache-2.0
"""Reads dumps of MindSpore: tensors as npy or bare bytes, and their statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.mindspore_dump.debug_tensors import TensorNames
from mindscope.debug.formats.mindspore_dump.graph_names import GraphNames, read_graph_names
from mindscope.debug.formats.mindspore_dump.layouts import DumpDirectory, dump_directories, is_dump
from mindscope.debug.formats.mindspore_dump.listing import ListedTensor, list_tensors
from mindscope.debug.formats.mindspore_dump.metadata import read_facts, sample_size
from mindscope.debug.formats.mindspore_dump.overflows import DirectoryListing, OverflowReader
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.recorded_steps import OverflowsReader, RecordedSteps, RecordedTensor, StepReader
from mindscope.debug.formats.stored_array import StoredArray
from mindscope.debug.model.overflows import Overflow
from mindscope.errors import FormatError
from mindscope.reasons import Reason

_BESIDE = ("graphs", "execution_order", ".dump_metadata")


def read_dump(root: Path, on_progress: Progress) -> RecordedSteps:
    """Return the dump in a directory, of all ranks. Raises FormatError, OSError."""
    problems = debug_problems()
    by_step: dict[tuple[int, int], list[DumpDirectory]] = {}
    constants: list[DumpDirectory] = []
    for directory in dump_directories(root):
        if directory.iteration is None:
            constants.append(directory)
        else:
            by_step.setdefault((directory.rank, directory.iteration), []).append(directory)
    for directory in constants:
        _add_constants(by_step, directory)
    if not by_step:
        raise FormatError(f"{root} holds no directories of iterations, want a dump of MindSpore")
    reader = _Reader(root, problems)
    readers: dict[tuple[int, int], StepReader] = {
        key: partial(reader.read, directories) for key, directories in sorted(by_step.items())
    }
    overflows = OverflowReader(problems)
    overflow_readers: dict[tuple[int, int], OverflowsReader] = {
        key: partial(reader.overflows, directories, overflows) for key, directories in by_step.items()
    }
    facts = read_facts(root)
    framework = str(facts.get("framework", "mindspore"))  # mindscope's own dumps name theirs
    return RecordedSteps(
        MINDSPORE_DUMP.name, framework, readers, problems, facts=facts, overflow_readers=overflow_readers
    )


def _add_constants(by_step: dict[tuple[int, int], list[DumpDirectory]], constants: DumpDirectory) -> None:
    """Add constants to the first iteration of their rank, before its operators."""
    steps = [step for rank, step in by_step if rank == constants.rank]
    if steps:
        by_step[constants.rank, min(steps)].insert(0, constants)


class _Reader:
    """Lists the tensors of steps, with names from the files beside them."""

    def __init__(self, root: Path, problems: Problems) -> None:
        self._root, self._problems = root, problems
        self._names: dict[Path, dict[str, GraphNames]] = {}
        self._tensors = TensorNames()

    def read(self, directories: Sequence[DumpDirectory]) -> list[RecordedTensor]:
        """Return the rows of the directories of one step."""
        rows: list[RecordedTensor] = []
        for directory, names, listed in self._listed(directories):
            first = rows[-1].order + 1 if rows else 0
            sample = sample_size(self._rank_directory(directory))
            rows += [self._row(each, names, first, sample) for each in listed]
        return rows

    def overflows(self, directories: Sequence[DumpDirectory], reader: OverflowReader) -> list[Overflow]:
        """Return the overflows of the directories of one step."""
        listings: list[DirectoryListing] = []
        first = 0
        for directory, _, listed in self._listed(directories):
            listings.append(DirectoryListing(directory, self._rank_directory(directory), listed, first))
            first += listed[-1].order + 1 if listed else 0
        return list(reader.read(listings))

    def _listed(
        self, directories: Sequence[DumpDirectory]
    ) -> Iterator[tuple[DumpDirectory, GraphNames, list[ListedTensor]]]:
        for directory in directories:
            names = self._names_of(self._rank_directory(directory)).get(directory.graph) or GraphNames()
            read = partial(list_tensors, names=names, problems=self._problems)
            yield directory, names, self._problems.read(directory.path, read) or []

    def _rank_directory(self, directory: DumpDirectory) -> Path:
        """Return the nearest directory above with files of the graph."""
        for above in directory.path.parents:
            if above == self._root or any((above / name).is_dir() for name in _BESIDE):
                return above
        return self._root

    def _names_of(self, directory: Path) -> dict[str, GraphNames]:
        if directory not in self._names:
            self._names[directory] = read_graph_names(directory, self._problems)
        return self._names[directory]

    def _row(self, listed: ListedTensor, names: GraphNames, first: int, sample: int) -> RecordedTensor:
        array = listed.array
        if array is not None and listed.path and _is_sample(array, listed, sample):
            count = Reason("debug_sampled", file=listed.path.name, count=sample)
            self._problems.note(listed.path, count)
        tensor = self._tensors.tensor(listed, names)
        row = listed.row
        is_exact = array is not None and (row is None or row.name.shape in (None, array.tensor_shape))
        return RecordedTensor(
            tensor,
            first + listed.order,
            array if is_exact or row is None else None,
            None if row is None else row.values,
            0 if row is None else row.digest,
        )


def _is_sample(array: StoredArray, listed: ListedTensor, sample: int) -> bool:
    return bool(sample) and listed.row is None and array.tensor_shape == (sample,)


MINDSPORE_DUMP = Format("mindspore_dump", "a dump of MindSpore", is_dump, read_dump)
