# SPDX-License-Identifier: Apache-2.0
"""``MindscopeWriter`` for trainings of JAX and Flax: the interface ``MetricWriter`` of clu, without TensorFlow."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from types import TracebackType
from typing import Any

from mindscope.integrations.recording import TrainingRun, guarded


class MindscopeWriter:
    """Records what the methods of a ``MetricWriter`` get, under the same names. No method raises.

    It works in ``MultiWriter`` and ``AsyncWriter`` of clu too, and is a context manager. Without ``close``, the run
    ends with the process.

    Args:
        logdir: directory of the run.
    """

    def __init__(self, logdir: str | PathLike[str] = "runs/clu") -> None:
        self.run = TrainingRun(logdir, has_end=False)

    @guarded
    def write_summaries(
        self, step: int, values: Mapping[str, Any], metadata: Mapping[str, Any] | None = None
    ) -> None:  # fmt: skip
        """Record arrays as tensors."""
        for name, value in values.items():
            self.run.writer.add_tensor(name, value, step)

    def write_scalars(self, step: int, scalars: Mapping[str, Any]) -> None:
        """Record numbers."""
        self.run.log(scalars, step)

    @guarded
    def write_images(self, step: int, images: Mapping[str, Any]) -> None:
        """Record images of the shape [N, H, W, C] or [H, W, C], as uint8, or floats of 0 to 1."""
        for name, value in images.items():
            batch = value if len(value.shape) == 4 else value[None]
            self.run.writer.add_images(name, batch, step, dataformats="NHWC")

    @guarded
    def write_videos(self, step: int, videos: Mapping[str, Any]) -> None:
        """Record videos of the shape [N, T, H, W, C] or [T, H, W, C]."""
        for name, value in videos.items():
            batch = value if len(value.shape) == 5 else value[None]
            self.run.writer.add_video(name, batch.transpose(0, 1, 4, 2, 3), step)

    @guarded
    def write_audios(self, step: int, audios: Mapping[str, Any], *, sample_rate: int) -> None:
        """Record sounds of the shape [N, T, C], each of them under ``NAME/INDEX`` if there are several."""
        for name, value in audios.items():
            for index, sound in enumerate(value):
                tag = name if len(value) == 1 else f"{name}/{index}"
                self.run.writer.add_audio(tag, sound, step, sample_rate=sample_rate)

    @guarded
    def write_texts(self, step: int, texts: Mapping[str, str]) -> None:
        """Record texts."""
        for name, value in texts.items():
            self.run.writer.add_text(name, value, step)

    @guarded
    def write_histograms(
        self, step: int, arrays: Mapping[str, Any], num_buckets: Mapping[str, int] | None = None
    ) -> None:
        """Record histograms, of ``num_buckets`` bins where it names one."""
        for name, value in arrays.items():
            count = (num_buckets or {}).get(name)
            options = {} if count is None else {"bins": count}
            self.run.writer.add_histogram(name, value, step, **options)

    def write_hparams(self, hparams: Mapping[str, Any]) -> None:
        """Record hyperparameters."""
        self.run.writer.add_settings(hparams)

    def flush(self) -> None:
        """Wait until everything recorded so far is in the files."""
        self.run.writer.flush()

    def close(self) -> None:
        """Write everything."""
        self.run.end()

    def __enter__(self) -> MindscopeWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run.__exit__(kind, error, trace)
