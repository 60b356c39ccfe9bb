# SPDX-License-Identifier: Apache-2.0
"""What of a run can't be read."""
