# SPDX-License-Identifier: Apache-2.0
"""Images of a run."""
