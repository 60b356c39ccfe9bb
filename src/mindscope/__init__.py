# SPDX-License-Identifier: Apache-2.0
"""Record what happens inside a training, and read it back."""

from mindscope._version import VERSION

__version__ = VERSION

__all__ = ["__version__"]
