# SPDX-License-Identifier: Apache-2.0
"""``mindscope run``: sends what a script logs with TensorBoard's writers, W&B, Trackio or SwanLab to mindscope."""
