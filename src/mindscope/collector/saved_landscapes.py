# SPDX-License-Identifier: Apache-2.0
"""The common part of the ``SummaryLandscape`` of each framework."""

from __future__ import annotations

import shutil
from os import PathLike
from typing import Any

from mindscope.capture.arguments import check_log_dir
from mindscope.collector.landscape_file import DIRECTORY, LandscapeFile, read_landscape_file
from mindscope.log_settings import configure_log


class SavedLandscapes:
    """The directory of a training whose weights a SummaryCollector kept.

    Args:
        summary_dir: that of the collector.

    Raises:
        TypeError: it is no path.
        OSError: the directory can't be made.
    """

    def __init__(self, summary_dir: str | PathLike[str]) -> None:
        configure_log()
        self._summary_dir = check_log_dir(summary_dir)

    def clean_ckpt(self) -> None:
        """Remove the weights that were kept, and the losses that were computed."""
        shutil.rmtree(self._summary_dir / DIRECTORY, ignore_errors=True)

    def _changed_file(self, collect_landscape: dict[str, Any] | None) -> LandscapeFile:
        """Return the list of the weights with the given settings, which it keeps.

        Raises as ``LandscapeFile.replace`` and ``read_landscape_file``.
        """
        kept = read_landscape_file(self._summary_dir)
        file = kept.replace(collect_landscape)
        if file != kept:
            file.write()
        return file
