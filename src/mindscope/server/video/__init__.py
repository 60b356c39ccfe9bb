# SPDX-License-Identifier: Apache-2.0
"""Videos of a run."""
