# SPDX-License-Identifier: Apache-2.0
"""Overview, operators and kernels of a profile."""
