# SPDX-License-Identifier: Apache-2.0
"""What Nsight Systems exports with ``nsys export --type sqlite``."""
