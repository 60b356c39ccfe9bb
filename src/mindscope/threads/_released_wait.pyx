# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""Waits with a lock released. Compiled, because a signal handler runs between any two instructions of Python code.

An exception of a handler, such as that of Ctrl-C, would strike after the lock is released and before its state is kept,
so that the lock stays released in a block that holds it.
"""


def wait_released(release_save, acquire_restore, wait):
    """Release a lock, call ``wait``, take the lock again; returns what ``wait`` returned.

    The lock is held again whatever ``wait`` raises. The other two must be methods of compiled classes.
    """
    state = release_save()
    try:
        return wait()
    finally:
        acquire_restore(state)
