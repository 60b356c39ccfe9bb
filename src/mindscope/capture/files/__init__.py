# SPDX-License-Identifier: Apache-2.0
"""Files of a run: what a user logs, and the story of the run as texts without secrets."""
