# SPDX-License-Identifier: Apache-2.0
"""``init``, ``log`` and ``finish``: a run in a directory, with the names that people know from other trackers."""

from mindscope.tracking.current import alert, define_metric, finish, init, log, log_file
from mindscope.tracking.media import Audio, Figure, Histogram, Html, Image, Table, Video
from mindscope.tracking.run import TrackedRun

__all__ = [
    "Audio", "Figure", "Histogram", "Html", "Image", "Table", "TrackedRun", "Video", "alert", "define_metric", "finish",
    "init", "log", "log_file",
]  # fmt: skip
