# SPDX-License-Identifier: Apache-2.0
"""The viewer as a process: serving, starting in the background, finding and stopping viewers, logs."""
