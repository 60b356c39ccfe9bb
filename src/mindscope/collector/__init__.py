# SPDX-License-Identifier: Apache-2.0
"""What every collector of a training decides, whatever the framework: when to collect, what, and under which tags."""
