# SPDX-License-Identifier: Apache-2.0
"""Record what happens inside a training, and read it back."""

from mindscope._version import VERSION
from mindscope.capture import SummaryRecord
from mindscope.reading import Run, Runs, open_run, open_runs

__version__ = VERSION
__all__ = ["Run", "Runs", "SummaryRecord", "__version__", "open_run", "open_runs"]
