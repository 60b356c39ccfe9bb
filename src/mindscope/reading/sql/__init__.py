# SPDX-License-Identifier: Apache-2.0
"""SQL over the runs below a directory."""
