# SPDX-License-Identifier: Apache-2.0
"""The directory that ``mindscope run`` adds to ``PYTHONPATH``."""
