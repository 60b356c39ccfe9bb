# SPDX-License-Identifier: Apache-2.0
"""Shared types: kinds of data, the values of each kind, and references to the bytes of a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.reasons import Reason

Message = dict[str, Any]
"""A decoded wire message: field name -> value; absent fields have no key."""


class Kind(str, Enum):
    """The kind of a value. The text is the word in the API, on the command line and on the page."""

    SCALAR = "scalar"
    IMAGE = "image"
    VIDEO = "video"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TEXT = "text"
    AUDIO = "audio"
    PR_CURVE = "pr_curve"
    MESH = "mesh"
    TABLE = "table"
    HTML = "html"
    HPARAMS = "hparams"
    CUSTOM_SCALARS = "custom_scalars"
    LANDSCAPE = "landscape"
    GRAPH = "graph"
    RUN_METADATA = "run_metadata"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    DATASET_GRAPH = "dataset_graph"
    CUSTOM_LINEAGE = "custom_lineage_data"
    EXPLAIN = "explain"
    SESSION = "session"
    LOG_MESSAGE = "log_message"
    META_GRAPH = "meta_graph"
    TENSOR_STATISTICS = "tensor_statistics"

    def __str__(self) -> str:
        return self.value


class DialectName(str, Enum):
    """The message layout of a file."""

    MINDSPORE = "mindspore"
    MINDSPORE_LINEAGE = "mindspore_lineage"
    TENSORBOARD = "tensorboard"
    WANDB = "wandb"
    MLFLOW = "mlflow"
    MLFLOW_FILES = "mlflow_files"
    TRACKIO = "trackio"
    SWANLAB = "swanlab"
    DVCLIVE = "dvclive"
    CLEARML = "clearml"
    TABLE = "table"

    def __str__(self) -> str:
        return self.value


class Undecodable(NamedTuple):
    """Bytes of a file, ``offset`` to ``offset + length``, that break the encoding, and the error."""

    offset: int
    length: int
    error: FormatError


class Located(NamedTuple):
    """One value of one event: its kind, and the file position of its encoded bytes.

    ``offset`` and ``length`` cover the message that ``dialect.decode(kind, encoded)`` takes: the ``Summary.Value`` for
    tagged values, the message itself for graphs and lineage. ``scalar`` is the value of a scalar and None for all
    other kinds. ``step`` is 0 if the event has none.
    """

    kind: Kind
    tag: str
    step: int
    wall_time: float
    scalar: float | None
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Image:
    """An encoded image. ``channels`` is the writer's declaration, 0 if there is none: 1 gray, 3 RGB, 4 RGBA."""

    height: int
    width: int
    channels: int
    encoded: bytes = field(repr=False)

    def _repr_png_(self) -> bytes | None:
        """Show the image in a notebook."""
        return self.encoded if self.encoded.startswith(b"\x89PNG") else None

    def _repr_jpeg_(self) -> bytes | None:
        return self.encoded if self.encoded.startswith(b"\xff\xd8\xff") else None

    def pixels(self) -> NDArray[np.uint8]:
        """Decode to uint8, as browsers show it: shape (height, width) for gray, else (height, width, 3 or 4).

        The orientation in the EXIF data is applied, and 16 bits become their upper 8. The file in an export keeps both.
        Raises FormatError if the bytes are not an image, are incomplete, or have too many pixels.
        """
        try:
            return self._decode()
        except Exception as error:  # Pillow raises OSError, SyntaxError, struct.error and others, by format
            why = f"{type(error).__name__}: {error}"
            raise FormatError(Reason("value_malformed", kind="image", why=why)) from error

    def _decode(self) -> NDArray[np.uint8]:
        import io

        from PIL import Image as PillowImage
        from PIL import ImageOps

        opened: Any = PillowImage.open(io.BytesIO(self.encoded))
        with opened:
            # browsers ignore the orientation in a WebP
            upright: Any = opened.copy() if opened.format == "WEBP" else ImageOps.exif_transpose(opened)
        if upright.mode.startswith("I") and opened.format == "PNG":
            return (np.asarray(upright) >> 8).astype(np.uint8)
        return np.asarray(upright.convert(_shown_mode(upright.mode, "transparency" in upright.info)))


def _shown_mode(mode: str, has_transparent_color: bool) -> str:
    """Return the mode of Pillow in which an image of ``mode`` is shown: gray, RGB or RGBA."""
    if has_transparent_color or mode in ("LA", "La", "PA", "RGBA", "RGBa"):
        return "RGBA"
    return "L" if mode in ("1", "L") else "RGB"


@dataclass(frozen=True, slots=True)
class Video:
    """One video, encoded as animated GIF; ``height`` and ``width`` are what the writer declared."""

    height: int
    width: int
    encoded: bytes = field(repr=False)

    def frames(self) -> Iterator[NDArray[np.uint8]]:
        """Decode one frame after the other to uint8, shape (height, width, 3).

        Raises FormatError at a frame that can't be decoded, and for a GIF of too many pixels.
        """
        import io

        from PIL import Image as PillowImage

        try:
            opened = PillowImage.open(io.BytesIO(self.encoded), formats=("GIF",))
            with opened:
                for number in range(getattr(opened, "n_frames", 1)):
                    opened.seek(number)
                    yield np.asarray(opened.convert("RGB"))
        except Exception as error:  # Pillow raises OSError, SyntaxError, struct.error and others
            why = f"{type(error).__name__}: {error}"
            raise FormatError(Reason("value_malformed", kind="video", why=why)) from error


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of values in k buckets. Bucket i covers [left[i], right[i]); the last one includes its right edge.

    ``left``, ``right`` and ``count`` are float64 of shape (k,); k is 0 if there is no finite value. ``total`` counts
    every element, including NaN and infinities; ``minimum``, ``maximum`` and ``sum`` are over finite values, as is
    ``sum_squares``, which is None if the log does not have it.
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    count: NDArray[np.float64]
    minimum: float
    maximum: float
    sum: float
    total: float
    nan_count: int = 0
    positive_infinity_count: int = 0
    negative_infinity_count: int = 0
    sum_squares: float | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """An array in its declared dtype; ``is_exact`` is False if the file holds float32 of a wider dtype."""

    value: NDArray[Any]
    is_exact: bool = True


@dataclass(frozen=True, slots=True)
class Audio:
    """An encoded clip; ``sample_rate`` in Hz, ``frames`` samples per channel; 0 for unknown.

    ``more`` are the other clips of the same step, with the same encoding.
    """

    sample_rate: float
    channels: int
    frames: int
    encoded: bytes = field(repr=False)
    content_type: str
    more: tuple[bytes, ...] = field(default=(), repr=False)

    @property
    def clips(self) -> tuple[bytes, ...]:
        """All clips of the step, encoded."""
        return (self.encoded, *self.more)


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a recorded table.

    ``type`` is number, text, bool or media. ``values`` has an entry for each row, None where a cell is empty; those of
    type media are numbers of files in ``RecordedTable.media``.
    """

    name: str
    type: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class RecordedTable:
    """A table that a training recorded. ``media`` are the files of its cells: their media type, such as image/png, and
    their bytes.
    """

    columns: tuple[TableColumn, ...]
    media: tuple[tuple[str, bytes], ...] = ()

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns[0].values) if self.columns else 0


@dataclass(frozen=True, slots=True)
class LandscapeFacts:
    """The computation of a loss landscape; a field is empty, None or 0 where it is not known.

    Lengths and distances are Euclidean, in weights.
    """

    method: str = ""
    """``pca``, ``random``, ``hessian``, ``three`` or ``line``."""
    path_distances: NDArray[np.float64] | None = None
    """Shape (n,): how far each checkpoint of the path is from the plane."""
    path_lengths: NDArray[np.float64] | None = None
    """Shape (n,): how far each checkpoint is from the origin of the plane, in the whole weight space."""
    explained_variance: tuple[float, ...] = ()
    """Share of the variance of the checkpoints along x and y, 0 to 1."""
    evaluated: NDArray[np.bool_] | None = None
    """Shape of the losses: False where a loss is interpolated; None if every loss was computed."""
    normalization: str = ""
    """Statistics of normalization layers: ``as_trained`` or ``re_estimated`` at each point."""
    num_samples: int = 0
    seed: int | None = None
    evaluation: str = ""
    """``loop``, ``channels_last``, ``grouped`` or ``vmap``."""
    dtype: str = ""
    """Type of the numbers in the computation, such as ``float32``."""
    dtype_error: float | None = None
    """Largest relative difference to float32 on the same weights."""
    seconds: float = 0.0
    points_done: int = 0
    points_total: int = 0
    """Larger than ``points_done`` while the landscape is computed."""
    seconds_left: float | None = None
    degenerate: str = ""
    """``line`` or ``point`` if the checkpoints span no plane: the missing directions are random."""
    failure: str = ""
    """Reason why the computation stopped before all points were done; empty if none."""
    plane_id: str = ""
    """Equal for landscapes of one plane or line: equal coordinates are equal weights."""
    weight_norm: float = 0.0
    """Norm of all weights at the origin of the plane."""
    direction_products: tuple[float, ...] = ()
    """Scalar products of the directions: of x with itself, of x and y, of y with itself; 0 for the y of a line."""


@dataclass(frozen=True, slots=True)
class Landscape:
    """A loss landscape: losses ``z`` of shape (len(y), len(x)) over a plane, and the path of the training on it.

    A line has one y. A loss that is not known yet is NaN.
    """

    x: NDArray[Any]
    y: NDArray[Any]
    z: NDArray[Any]
    path_intervals: tuple[int, ...] = ()
    path_x: NDArray[Any] | None = None
    path_y: NDArray[Any] | None = None
    path_z: NDArray[Any] | None = None
    convergence_point: tuple[float, float, float] | None = None
    decomposition: str = ""
    unit: str = ""
    step_per_epoch: int = 0
    facts: LandscapeFacts | None = None


class GraphFormat(str, Enum):
    """The encoding of a computational graph."""

    MINDSPORE = "mindspore"
    """MindSpore's ``GraphProto``."""
    TENSORFLOW = "tensorflow"
    """GraphDef, also what PyTorch writes for TensorBoard."""
    KERAS = "keras"
    """JSON of a model."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class EncodedGraph:
    """A computational graph as it is in the file; ``mindscope.graph`` reads it."""

    format: GraphFormat
    data: bytes


class DamageKind(str, Enum):
    """The type of a damage."""

    LENGTH_CHECKSUM = "length_checksum"
    PAYLOAD_CHECKSUM = "payload_checksum"
    TRUNCATED = "truncated"
    MESSAGE = "message"
    SHRUNK = "shrunk"
    UNREADABLE = "unreadable"
    TOO_LONG = "too_long"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Damage:
    """A section of a file that could not be read; ``resumed_at`` is the offset of the next intact record, if any."""

    file: str
    offset: int
    kind: DamageKind
    detail: str
    resumed_at: int | None = field(default=None)

    def __str__(self) -> str:
        after = "no intact record after it yet"
        if self.resumed_at is not None:
            after = f"skipped to the next intact record at byte {self.resumed_at}"
        return f"record at byte {self.offset} of {self.file}: {self.detail.removesuffix('.')}; {after}"
