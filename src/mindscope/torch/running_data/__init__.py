# SPDX-License-Identifier: Apache-2.0
"""The running data recorder: what a training did last, written when it fails or ends."""
