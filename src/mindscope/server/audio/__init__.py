# SPDX-License-Identifier: Apache-2.0
"""Audio of a run."""
