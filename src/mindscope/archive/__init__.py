# SPDX-License-Identifier: Apache-2.0
"""Archives of runs: one ZIP file whose event files are read where they are, without unpacking."""
