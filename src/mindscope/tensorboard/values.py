# SPDX-License-Identifier: Apache-2.0
"""The methods of SummaryWriter for values that are more than a number."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from mindscope.capture.array_conversion import to_array
from mindscope.capture.audio import audio_kind
from mindscope.capture.embeddings import Embedding
from mindscope.capture.event_stream import EventStream
from mindscope.capture.figures import figure_pixels
from mindscope.capture.limit_histograms import GROWING, histogram_kind
from mindscope.capture.meshes import MeshInput
from mindscope.capture.pending import PendingValue, from_bytes, from_embedding, from_input
from mindscope.capture.pr_curves import MAX_THRESHOLDS, CurveInput, curve_field
from mindscope.capture.tensorboard_tensors import TENSORBOARD_TENSOR
from mindscope.capture.videos import MAX_FPS
from mindscope.errors import ValueRejectedError
from mindscope.formats.kinds.histogram import histogram_to_tensorboard
from mindscope.formats.tensorboard_values import value_field
from mindscope.tensorboard.images import image_kind

_VIDEO_AXES = "NTCHW"


class ValueMethods:
    """Records tensors, histograms, media, curves, meshes and embeddings.

    In all methods, ``global_step`` is an integer, and None means 0; ``walltime`` is in seconds since 1970, and None
    means now. Arrays are of NumPy, PyTorch, MindSpore, JAX, or anything else that ``SummaryRecord.add_value`` takes.
    """

    _stream: EventStream

    def _when(self, step: Any, wall_time: Any) -> tuple[Any, Any]:
        raise NotImplementedError

    def _add(
        self, plugin: str, tag: str, make: Callable[[], PendingValue], step: Any, wall_time: Any, size: int = 0
    ) -> None:
        step, time_s = self._when(step, wall_time)
        self._stream.add_prepared(plugin, tag, make, step, time_s, size=size)

    def add_tensor(self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None) -> None:
        """Record an array, which keeps its dtype."""
        step, time_s = self._when(global_step, walltime)
        self._stream.add_array("tensor", tag, tensor, TENSORBOARD_TENSOR, step, time_s)

    def add_histogram(
        self, tag: str, values: Any, global_step: Any = None, bins: Any = GROWING, walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Record how often values occur.

        ``bins`` is ``tensorflow``, or what ``numpy.histogram`` takes; ``max_bins`` merges neighbors to about as many.
        NaN and infinities are not counted.
        """
        step, time_s = self._when(global_step, walltime)
        self._stream.add_array("histogram", tag, values, histogram_kind(bins, max_bins), step, time_s)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: float, sum: float, sum_squares: float,
        bucket_limits: Any, bucket_counts: Any, global_step: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Record a histogram from its upper limits and counts, of one length."""

        def make() -> PendingValue:
            limits, counts = (to_array(each).reshape(-1).astype(np.float64) for each in (bucket_limits, bucket_counts))
            if limits.size != counts.size:
                raise ValueRejectedError(f"histogram has {limits.size} limits and {counts.size} counts, want as many")
            statistics = (min, max, num, sum, sum_squares)
            return from_bytes("histogram", tag, value_field(histogram_to_tensorboard(tag, statistics, limits, counts)))

        self._add("histogram", tag, make, global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:  # fmt: skip
        """Record an image; ``dataformats`` names its axes. uint8 is 0 to 255, all other numbers 0 to 1."""
        self._add_image(tag, lambda: img_tensor, global_step, walltime, dataformats)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:  # fmt: skip
        """Record a batch of images, side by side, eight in a row."""
        self._add_image(tag, lambda: img_tensor, global_step, walltime, dataformats)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Any = None, walltime: float | None = None,
        rescale: float = 1, dataformats: str = "CHW", labels: Sequence[str] | str | None = None,
    ) -> None:  # fmt: skip
        """Record an image with boxes (n, 4): left, top, right and bottom in pixels, and a label for each."""
        self._add_image(
            tag,
            lambda: img_tensor,
            global_step,
            walltime,
            dataformats,
            rescale=rescale,
            boxes=box_tensor,
            labels=labels,
        )

    def add_figure(
        self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Record a figure of Matplotlib or Plotly, or a list of them side by side, as it is now; then close it."""

        def draw() -> Any:
            figures: list[Any] = list(cast(Any, figure)) if isinstance(figure, (list, tuple)) else [figure]
            pictures = [figure_pixels(each)[:, :, :3] for each in figures]
            if len({picture.shape for picture in pictures}) != 1:
                raise ValueRejectedError("figures have different sizes in pixels")
            pyplot = sys.modules.get("matplotlib.pyplot")
            if close and pyplot is not None:
                for each in figures:
                    pyplot.close(each)
            return np.stack(pictures)

        self._add_image(tag, draw, global_step, walltime, "NHWC")

    def _add_image(
        self, tag: str, image: Callable[[], Any], step: Any, wall_time: Any, axes: str, **options: Any
    ) -> None:
        def make() -> PendingValue:
            return self._stream.prepared_array("image", tag, image(), image_kind(axes, **options))

        self._add("image", tag, make, step, wall_time)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: Any = None, fps: float = 4, walltime: float | None = None,
        dataformats: str = _VIDEO_AXES,
    ) -> None:  # fmt: skip
        """Record videos (N, T, C, H, W) side by side as animated GIF; needs no further package."""

        def make() -> PendingValue:
            frames: Any = vid_tensor
            if dataformats.upper() != _VIDEO_AXES:
                if sorted(dataformats.upper()) != sorted(_VIDEO_AXES):
                    raise ValueRejectedError(f"dataformats is {dataformats!r}, want the letters {_VIDEO_AXES}")
                order = [dataformats.upper().index(axis) for axis in _VIDEO_AXES]
                frames = np.transpose(to_array(vid_tensor), order)
            rate = min(float(fps), MAX_FPS)
            return self._stream.prepared("video", tag, {"frames": frames, "fps": rate})

        self._add("video", tag, make, global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: Any = None, sample_rate: float = 44100,
        walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Record sound of shape (1, L), (L,) or (L, C), floats from -1 to 1, as WAV."""

        def make() -> PendingValue:
            return self._stream.prepared_array("audio", tag, snd_tensor, audio_kind(sample_rate))

        self._add("audio", tag, make, global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        """Record a text, which pages show as Markdown. Its tag becomes ``{tag}/text_summary``, as other writers do."""
        self._add(
            "text",
            tag,
            lambda: self._stream.prepared("text", f"{tag}/text_summary", text_string),
            global_step,
            walltime,
        )

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Any = None, num_thresholds: int = MAX_THRESHOLDS,
        weights: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Record precision over recall, from labels of 0 and 1 and predictions from 0 to 1."""

        def make() -> PendingValue:
            return from_input("pr_curve", tag, CurveInput(labels, predictions, num_thresholds, weights))

        self._add("pr_curve", tag, make, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
        false_negative_counts: Any, precision: Any, recall: Any, global_step: Any = None,
        num_thresholds: int = MAX_THRESHOLDS, weights: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Record a curve from its values at each threshold. ``weights`` has no effect, as in other writers."""
        rows = (
            true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall,
        )  # fmt: skip
        self._add(
            "pr_curve", tag, lambda: from_bytes("pr_curve", tag, curve_field(tag, *rows, num_thresholds)),
            global_step, walltime,
        )  # fmt: skip

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None,
        config_dict: Mapping[str, Any] | None = None, global_step: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Record meshes or point clouds: vertices, colors and faces of shape (batch, N, 3)."""

        def make() -> PendingValue:
            return from_input("mesh", tag, MeshInput(vertices, faces, colors, config_dict))

        self._add("mesh", tag, make, global_step, walltime)

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: Any = None, tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:  # fmt: skip
        """Record vectors (N, D) with labels and images (N, C, H, W) as files of TensorBoard's projector."""

        def make() -> PendingValue:
            return from_embedding("embedding", tag, Embedding(mat, metadata, label_img, metadata_header))

        self._add("embedding", tag, make, global_step, None)
