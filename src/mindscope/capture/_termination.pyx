# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A SIGTERM handler that only writes a byte into a pipe.

A Python handler runs on the main thread, after the current call into a framework returns; until then, the process would
ignore the signal. A thread that reads the pipe acts at once.
"""

from libc cimport errno
from libc.signal cimport SIG_DFL, SIGTERM
from libc.string cimport memset
from posix.signal cimport kill, sigaction, sigaction_t, sigemptyset
from posix.types cimport pid_t, time_t
from posix.time cimport CLOCK_MONOTONIC, itimerspec
from posix.unistd cimport getpid, write

cdef extern from "<signal.h>" nogil:
    enum: SA_RESTART
    enum: SIGEV_SIGNAL
    struct sigevent:
        int sigev_notify
        int sigev_signo

cdef extern from "<time.h>" nogil:
    ctypedef void *timer_t
    int timer_create(int clock, sigevent *event, timer_t *timer)
    int timer_settime(timer_t timer, int flags, const itimerspec *when, itimerspec *before)

cdef int pipe_end = -1
cdef pid_t owner = 0  # the process that installed the handler; forked children inherit it
cdef bint was_signaled = False
cdef timer_t timer  # sends SIGTERM again if Python code does not run in time
cdef itimerspec patience


cdef void end_process() noexcept nogil:
    cdef sigaction_t usual
    usual.sa_handler = SIG_DFL
    usual.sa_flags = 0
    sigemptyset(&usual.sa_mask)
    sigaction(SIGTERM, &usual, NULL)
    kill(getpid(), SIGTERM)


cdef void on_signal(int number) noexcept nogil:
    global was_signaled
    cdef int before = errno.errno
    cdef char byte = 0
    if getpid() != owner or was_signaled or write(pipe_end, &byte, 1) != 1:
        end_process()
    was_signaled = True
    timer_settime(timer, 0, &patience, NULL)
    errno.errno = before


def install(int write_end, double grace_s):
    """Install a SIGTERM handler that writes a byte into ``write_end``; returns False if the program has its own one.

    The process ends at once in a forked child, at a second SIGTERM, and ``grace_s`` after the first one: a call that
    holds the interpreter lock may block Python code.
    """
    global pipe_end, owner, was_signaled
    cdef sigaction_t now, ours
    cdef sigevent event
    if sigaction(SIGTERM, NULL, &now) or (now.sa_handler != SIG_DFL and now.sa_handler != on_signal):
        return False
    memset(&event, 0, sizeof(event))
    event.sigev_notify, event.sigev_signo = SIGEV_SIGNAL, SIGTERM
    if timer_create(CLOCK_MONOTONIC, &event, &timer):
        return False
    memset(&patience, 0, sizeof(patience))
    patience.it_value.tv_sec = <time_t>grace_s
    patience.it_value.tv_nsec = <long>((grace_s - <time_t>grace_s) * 1e9)
    pipe_end, owner, was_signaled = write_end, getpid(), False
    ours.sa_handler = on_signal
    ours.sa_flags = SA_RESTART
    sigemptyset(&ours.sa_mask)
    return sigaction(SIGTERM, &ours, NULL) == 0


def terminate():
    """End this process with the default action of SIGTERM."""
    end_process()
