# SPDX-License-Identifier: Apache-2.0
"""One run in the Python API."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from typing_extensions import Unpack

from mindscope import graph, reading
from mindscope.analysis.expressions import NO_SMOOTHING, Smoothing, expression_points
from mindscope.analysis.layouts import Layout, layout_of
from mindscope.analysis.pr_curves import PrCurve, pr_curve
from mindscope.analysis.tensor_slice import TensorSlice
from mindscope.analysis.tensors import tensor_at
from mindscope.artifacts.recorded_files import RecordedFile, recorded_files
from mindscope.formats.kinds import KINDS
from mindscope.plots.options import PlotKeywords, PlotOptions
from mindscope.reading.displays import run_html
from mindscope.reading.hparams import HparamValue, merge_hparams, session_hparams
from mindscope.reading.hparams_sessions import read_hparams
from mindscope.reading.scalars import Scalars
from mindscope.reading.tags import kind_called, tag_not_found
from mindscope.reading.values import Histograms, Values, found_values, values_of
from mindscope.reading.whole_values import WholeValues
from mindscope.store import RunStore
from mindscope.types import Audio, Damage, Image, Kind, Landscape, RecordedTable, Tensor, Video

if TYPE_CHECKING:  # a script that reads curves does not wait for them
    from mindscope.debug.formats.print_file import PrintedValue
    from mindscope.graph import DatasetNode, Graph
    from mindscope.lineage import Lineage
    from mindscope.reading.failures import RunFailures
    from mindscope.reading.graphs import GraphReaders
    from mindscope.reading.profiles import RunProfiles
    from mindscope.reading.run_debug import RunDebug
    from mindscope.reasons import Reason


class Run:
    """The data of a run directory. All results are as of the last ``refresh``.

    If a training was restarted, a tag's points exclude those that the restart replaced. Pass ``overwritten=True`` to
    get every point ever written, in written order.
    """

    def __init__(self, store: RunStore, refresh: Callable[[], bool], listed: Collection[str] = ()) -> None:
        """``listed`` has the ids of all runs on the page of the run, by which its color is assigned."""
        self.store = store
        self._refresh = refresh
        self._listed = listed
        self._whole = WholeValues(store)

    @property
    def id(self) -> str:
        """The path below the base directory with ``/``; "." for a run that was opened alone."""
        return self.store.id

    @property
    def name(self) -> str:
        """Display name of the run."""
        return self.store.name

    @property
    def path(self) -> Path:
        """The directory."""
        return self.store.path

    def refresh(self) -> bool:
        """Read new data; returns whether anything changed."""
        return self._refresh()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of data in the run, in the order of their first value."""
        return tuple(self.store.tag_counts())

    def tags(self, kind: Kind | str | None = None) -> tuple[str, ...]:
        """Return the tags of a kind ("scalar", "image", ...), in the order of first occurrence.

        If ``kind`` is None, the distinct tags of all kinds that have user-defined tags; graphs and lineage have none.
        Raises SettingsError for an unknown kind.
        """
        if kind is not None:
            return self.store.tags(kind_called(kind))
        return tuple(dict.fromkeys(tag for kind, tag in self.store.series if KINDS[kind].is_tagged))

    def scalars(self, tag: str, *, overwritten: bool = False) -> Scalars:
        """Return the points of a scalar tag. Raises TagNotFoundError, like all methods below."""
        series = self.store.scalars(tag)
        if series is None:
            raise tag_not_found(self.store, Kind.SCALAR, tag)
        columns = series.all() if overwritten else series.visible()
        return Scalars(tag, columns.step, columns.wall_time, columns.value)

    def values(self, kind: Kind | str, tag: str, *, overwritten: bool = False) -> Values[Any]:
        """Return the values of a tag of any kind except scalar, decoded on access."""
        return values_of(self.store, kind_called(kind), tag, overwritten=overwritten)

    def expression(self, text: str, *, smoothing: Smoothing = NO_SMOOTHING) -> Scalars:
        """Return an expression over scalar tags, such as "`loss/train` - `loss/test`", at the steps that all its tags
        share.

        Put a tag that is not a Python name in backticks. The values are float64, smoothed by ``smoothing``.
        Raises ExpressionError for a text that can't be parsed, names no tag, or names a tag that the run does not have.
        """
        points = expression_points(self.store, text, smoothing=smoothing)
        return Scalars(text, points.step.astype(np.int64), points.wall_time, points.smoothed)

    def plot(
        self,
        tags: str | Sequence[str],
        *,
        smoothing: float | Smoothing = 0.0,
        x: str = "step",
        engine: str = "matplotlib",
        **options: Unpack[PlotKeywords],
    ) -> Any:
        """Return a figure for a paper: a panel for each tag or expression, in the color of the run on the page.

        Args:
            tags: scalar tags, or expressions over them.
            smoothing: the weight of the page's slider, from 0 to below 1, or a ``Smoothing``.
            x: step, relative or wall.
            engine: matplotlib or plotly, whose figure is returned.
            options: see docs/plots.md.

        Raises:
            TagNotFoundError: no such tag; names similar ones.
            UsageError: an option has a wrong value.
            MissingPackageError: the library is not installed.
        """
        return reading.figure_of_run(self.store, self._listed, tags, PlotOptions.of(smoothing, x, options), engine)

    def tensor(self, tag: str, step: int | None = None) -> TensorSlice:
        """Return the tensor of a step, by default the newest one; indexing reads only the requested part.

        Raises TagNotFoundError, IndexError for a step without a tensor, FormatError if its bytes can't be read.
        """
        found = found_values(self.store, Kind.TENSOR, tag)
        steps = found.references.step
        rows = np.flatnonzero(steps == step) if step is not None else np.arange(steps.size)
        if rows.size == 0:
            which = "visible value; a restart replaced all" if step is None else f"value at step {step}"
            raise IndexError(f"tensor {tag!r} of run {self.id!r} has no {which}")
        row = int(rows[-1])
        source = tensor_at(found, found.references, row)
        return TensorSlice(source, int(steps[row]), float(found.references.wall_time[row]))

    def histograms(self, tag: str, *, overwritten: bool = False) -> Histograms:
        """Return the histograms of a tag; ``merged`` reduces them to a number of rows."""
        return Histograms(found_values(self.store, Kind.HISTOGRAM, tag, overwritten))

    def images(self, tag: str, *, overwritten: bool = False) -> Values[tuple[Image, ...]]:
        """Return the images of a tag; a step may hold several."""
        return self.values(Kind.IMAGE, tag, overwritten=overwritten)

    def videos(self, tag: str, *, overwritten: bool = False) -> Values[Video]:
        """Return the videos of a tag; ``frames`` of a value decodes one frame after the other."""
        return self.values(Kind.VIDEO, tag, overwritten=overwritten)

    def tensors(self, tag: str, *, overwritten: bool = False) -> Values[Tensor]:
        return self.values(Kind.TENSOR, tag, overwritten=overwritten)

    def texts(self, tag: str, *, overwritten: bool = False) -> Values[tuple[str, ...]]:
        """Return the texts of a tag; a step may hold several."""
        return self.values(Kind.TEXT, tag, overwritten=overwritten)

    def audio(self, tag: str, *, overwritten: bool = False) -> Values[Audio]:
        return self.values(Kind.AUDIO, tag, overwritten=overwritten)

    def pr_curves(self, tag: str, *, overwritten: bool = False) -> Values[Tensor]:
        """Return the arrays of shape (6, thresholds).

        Rows: true positives, false positives, true negatives, false negatives, precision, recall.
        """
        return self.values(Kind.PR_CURVE, tag, overwritten=overwritten)

    def pr_curve(self, tag: str, step: int | None = None) -> PrCurve:
        """Return the newest PR curve, or the last one up to ``step``, as columns with their thresholds.

        Raises TagNotFoundError, IndexError for a tag without values, FormatError if the curve can't be read.
        """
        return pr_curve(found_values(self.store, Kind.PR_CURVE, tag), step)

    def meshes(self, tag: str, *, overwritten: bool = False) -> Values[Tensor]:
        """Return point clouds: arrays of shape (batch, points, 3)."""
        return self.values(Kind.MESH, tag, overwritten=overwritten)

    def tables(self, tag: str, *, overwritten: bool = False) -> Values[RecordedTable]:
        """Return the recorded tables of a tag. Raises TagNotFoundError."""
        return self.values(Kind.TABLE, tag, overwritten=overwritten)

    def html_pages(self, tag: str, *, overwritten: bool = False) -> Values[str]:
        """Return the HTML pages of a tag. Raises TagNotFoundError."""
        return self.values(Kind.HTML, tag, overwritten=overwritten)

    def landscapes(self) -> dict[str, Landscape]:
        """Return the newest loss landscape of each tag; ``damages`` lists those that can't be decoded."""
        return self._whole.newest_landscapes()

    def graphs(
        self, readers: GraphReaders | None = None, problems: dict[str, Reason] | None = None
    ) -> dict[str, Graph]:
        """Return the computational graphs by name: those of event files, oldest first, then graph files.

        Args:
            readers: how graphs are read; in this process if None.
            problems: takes the graph files that are not read, by their paths, and why.
        """
        return reading.read_graphs(self.store, self._whole, readers or reading.GraphReaders(), problems)

    def profiles(self) -> RunProfiles:
        """Return the profiles in the run's directory, in the order of their paths; each is read when it is taken."""
        return reading.RunProfiles(self.path)

    @property
    def debug(self) -> RunDebug:
        """The debugging data of the run: ``first_bad()``, ``watch(...)``, ``compare(other.debug)``, ``tensor(...)``.

        Raises DebugDataError if the run has none.
        """
        return reading.debug_of_run(self.store)

    def failures(self) -> RunFailures:
        """Return what recorders wrote when the training failed: running data of each rank, and its last collectives."""
        return reading.read_failures(reading.find_failures(self.path))

    def printed(self) -> Iterator[tuple[Path, PrintedValue]]:
        """Return texts and tensors that MindSpore's Print wrote, and tensors in the logs of the run, with their
        files.
        """
        return reading.printed_values(self.path)

    @property
    def dataset_graph(self) -> DatasetNode | None:
        """The data pipeline as last written, None if there is none."""
        pipelines = self._whole.all_of(Kind.DATASET_GRAPH, graph.read_dataset_graph)
        return pipelines[-1] if pipelines else None

    @property
    def lineage(self) -> Lineage:
        """Hyperparameters, data, metrics and user-defined fields, merged over all files of the run."""
        return reading.read_lineage(self._whole.all_of)

    @property
    def hparams(self) -> dict[str, HparamValue]:
        """Hyperparameters that TensorBoard's plugin stored, by name."""
        return merge_hparams(self._whole.all_of(Kind.HPARAMS, session_hparams))

    @property
    def layout(self) -> Layout:
        """The newest layout of charts that the run recorded for TensorBoard's page of custom scalars, by category.

        It is empty without one. Raises FormatError if it can't be read.
        """
        return layout_of(self.store)

    @property
    def outcome(self) -> str | None:
        """How the training ended, as it recorded: success, failure, or running before its end; None if it did not."""
        return read_hparams(self._whole.all_of).status

    @property
    def files(self) -> tuple[RecordedFile, ...]:
        """The files that recorders kept in the run, then those of its steps, the newest first.

        ``path`` is below ``Run.path``.
        """
        return tuple(recorded_files(self.path))

    @property
    def damages(self) -> tuple[Damage, ...]:
        """All unreadable sections of event files; damage in graphs and lineage appears after they were read."""
        return (*self.store.damages, *self._whole.damages)

    @property
    def dropped(self) -> int:
        """How many values the recorder dropped, by its own count."""
        return self.store.dropped

    def _repr_html_(self) -> str:
        return run_html(self.store)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in self.store.tag_counts().items())
        return f"Run({str(self.path)!r}: {counts or 'empty'})"
