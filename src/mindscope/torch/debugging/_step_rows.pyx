# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3, boundscheck=False, wraparound=False, embedsignature=True
"""The work of a debugger for each operator and tensor of a step, compiled: a step has hundreds of them."""

from weakref import ref

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from mindscope.debug.model.tensors import Role
from mindscope.torch.debugging._nested_tensors import tensors_in
from torch import Tensor, strided

cdef object INPUT = Role.INPUT
cdef object OUTPUT = Role.OUTPUT
cdef long long AT_ONCE = 1 << 20  # more hooks than one gradient has
cdef uint64_t PRIME = 0x9E3779B97F4A7C15ULL
cdef list SLOTS = [str(index) for index in range(64)]


cdef class TensorRows:
    """The row of statistics of each tensor of a step; a subclass has ``grow``, ``summarize_other``
    and ``summarize_on_cuda``.

    Args:
        plain_types: classes of tensors that are read as they are.
        codes: by dtype, those of ``stats._tensor_statistics``, for dtypes that are read as they are.
    """

    cdef dict known  # by id of the tensor: weak reference, version, row, number of writes before it, sample
    cdef dict written  # by address of a storage: number of the last write
    cdef Py_ssize_t writes
    cdef object sample  # of the tensor that was summarized last; None if there is none
    cdef dict codes
    cdef tuple plain_types
    cdef object summarize
    cdef Py_ssize_t capacity
    cdef readonly Py_ssize_t count

    def __init__(self, tuple plain_types, dict codes):
        self.known, self.codes, self.plain_types = {}, codes, plain_types
        self.written, self.writes, self.sample = {}, 0, None
        self.count = self.capacity = 0

    def set_room(self, summarize, Py_ssize_t capacity):
        """Take a buffer of ``capacity`` rows, filled by ``StatisticsRows.summarize``."""
        self.summarize, self.capacity = summarize, capacity

    cpdef Py_ssize_t next_row(self) except -2:
        """Return a new row."""
        if self.count == self.capacity:
            self.grow()
        self.count += 1
        return self.count - 1

    def forget(self):
        """No more tensors come."""
        self.known.clear()
        self.written.clear()

    cpdef note_write(self, tensor):
        """An operator writes into the memory of a tensor, perhaps by an alias, whose writes don't count as versions."""
        if tensor.layout is strided:
            self.writes += 1
            self.written[self.address_of(tensor)] = self.writes

    def note_writes(self, tuple written, tuple args, dict kwargs):
        """An operator wrote into the arguments of these positions and names."""
        for argument in written:
            if type(argument) is str:
                value = kwargs.get(argument)
            else:
                value = args[argument] if argument < len(args) else None
            if isinstance(value, Tensor):
                self.note_write(value)
            elif value is not None:
                for _, tensor in tensors_in(value, ""):
                    self.note_write(tensor)

    cpdef Py_ssize_t row_of(self, tensor) except -2:
        """Return the row of a tensor, summarized now if it changed or is new; -1 if it can't be summarized."""
        cdef tuple found = <tuple> self.known.get(id(tensor))
        if found is not None and found[0]() is tensor and found[1] == version_of(tensor) and self.is_current(
            tensor, found
        ):
            return found[2]
        return self.new_row(tensor)

    cdef bint is_current(self, tensor, tuple found) except -1:
        """Whether no alias changed a tensor of this version: neither by an operator nor, by a sample, otherwise."""
        if found[4] is not None and found[4] != sample_of(tensor, self.plain_types):
            return False
        return not self.written or self.written.get(self.address_of(tensor), 0) <= found[3]

    cdef object address_of(self, tensor):
        """Return the address of the memory of a tensor, or of its local part if sharded; its id without memory."""
        try:
            if type(tensor) not in self.plain_types:
                tensor = getattr(tensor, "_local_tensor", tensor)  # of torch.distributed
            return tensor.untyped_storage().data_ptr()
        except Exception:
            return -id(tensor)

    cpdef Py_ssize_t new_row(self, tensor) except -2:
        """Return the row as ``row_of``, without a look at earlier rows."""
        cdef Py_ssize_t row
        self.sample = None
        try:
            row = self.plain_row(tensor)
        except Exception:  # such as of a tensor without memory, which has a reason there
            row = -1
        if row < 0:
            row = self.summarize_other(tensor)
        if row >= 0:
            self.keep(tensor, row, self.sample)
        return row

    cpdef set_row(self, tensor, Py_ssize_t row):
        """Have a tensor share the row of another one with the same elements."""
        self.keep(tensor, row, None)

    cdef keep(self, tensor, Py_ssize_t row, sample):
        version = version_of(tensor)
        if version >= 0:
            self.known[id(tensor)] = (ref(tensor), version, row, self.writes, sample)

    cdef Py_ssize_t plain_row(self, tensor) except -2:
        """-1 if it is not a plain one."""
        if type(tensor) not in self.plain_types:
            return -1
        code = self.codes.get(tensor.dtype)
        if code is None or not tensor.is_contiguous():
            return -1
        cdef bint is_cpu = tensor.is_cpu
        if not (is_cpu or tensor.is_cuda) or is_freed(tensor):
            return -1
        cdef Py_ssize_t row = self.next_row()
        if is_cpu:
            address, count = tensor.data_ptr(), tensor.numel()
            self.summarize(row, address, code, count)
            self.sample = digest_of(address, count * tensor.element_size())
        elif not self.summarize_on_cuda(row, tensor.get_device(), code, tensor.data_ptr(), tensor.numel()):
            self.count = row
            return -1
        return row


cpdef object sample_of(tensor, tuple plain_types):
    """A digest of elements of a plain tensor of the processor, which most writes change; None of another tensor."""
    try:
        if not tensor.is_cpu or type(tensor) not in plain_types or not tensor.is_contiguous() or is_freed(tensor):
            return None
        return digest_of(tensor.data_ptr(), tensor.numel() * tensor.element_size())
    except Exception:  # such as of a tensor without memory
        return None


cdef unsigned long long digest_of(size_t address, size_t size) noexcept nogil:
    """Return a digest of all bytes of memory up to 512, of 64 words spread evenly over more."""
    cdef const char* memory = <const char*> address
    cdef size_t words = size // 8, step, index = 0
    cdef uint64_t word, mixed = size
    step = words // 64 if words > 64 else 1
    while index < words:
        memcpy(&word, memory + 8 * index, 8)
        mixed = (mixed ^ word) * PRIME
        mixed ^= mixed >> 29
        index += step
    if size > 0:  # the last bytes
        word = 0
        memcpy(&word, memory + (size - 8 if size > 8 else 0), 8 if size > 8 else size)
        mixed = (mixed ^ word) * PRIME
    return mixed ^ (mixed >> 32)


cpdef bint is_freed(tensor) except -1:
    """Return whether a tensor has elements but no memory, as parameters that FSDP gathers only while they are used."""
    if not tensor.data_ptr():
        return tensor.numel() != 0
    return tensor.storage_offset() != 0 and tensor.untyped_storage().nbytes() == 0


cdef object version_of(tensor):
    """Return how often a tensor was changed in place; -1 if PyTorch does not count it."""
    return -1 if tensor.is_inference() else tensor._version


cdef class Operator:
    """An operator or module at one point of a step, over all steps."""

    cdef readonly object module, type, phase, stack
    cdef readonly Py_ssize_t call
    cdef readonly dict tensors
    """Of its tensors, by role and slot: index in the table, dtype and shape as last met."""

    def __init__(self, module, type, phase, Py_ssize_t call, stack=()):
        self.module, self.type, self.phase, self.call, self.stack = module, type, phase, call, stack
        self.tensors = {}


cdef class Run:
    """One run of an operator in a step."""

    cdef readonly Operator operator
    cdef readonly Py_ssize_t number


cdef class StepRows:
    """The operators of a step in the order of their execution, with the rows of their tensors.

    Args:
        vectors: rows of statistics.
        table: numbers the tensors; a ``KnownTensors``.
        indexes, sources, runs: arrays of ``int``, which get one number for each row.
        ended: array of ``long long``, which gets when each run of an operator ended.
    """

    cdef readonly TensorRows vectors
    cdef object table, add_index, add_source, add_run, ended
    cdef dict calls, operators
    cdef long long events
    cdef Py_ssize_t run_count
    cdef object last_gradient
    cdef bint was_output

    def __init__(self, TensorRows vectors, table, indexes, sources, runs, ended):
        self.vectors, self.table, self.operators, self.calls = vectors, table, table.operators, {}
        self.add_index, self.add_source, self.add_run = indexes.append, sources.append, runs.append
        self.ended, self.events, self.run_count = ended, 0, 0
        self.last_gradient, self.was_output = None, False

    cpdef Run begin(self, module, type, phase, stack):
        """An operator runs; ``stack`` is called if no earlier step had it."""
        return self.begin_call(module, type, phase, self.next_call(module, type, phase), stack)

    cpdef Py_ssize_t next_call(self, module, type, phase) except -2:
        """Return the number of a call that begins."""
        key = (module, type, phase)
        cdef Py_ssize_t call = self.calls.get(key, 0)
        self.calls[key] = call + 1
        return call

    cpdef Run begin_call(self, module, type, phase, Py_ssize_t call, stack):
        """Begin a call whose number is known."""
        operator = self.operators.get((module, type, phase, call))
        if operator is None:
            operator = self.table.add_operator(Operator(module, type, phase, call, stack()))
        self.events += AT_ONCE
        self.ended.append(self.events)
        cdef Run run = Run.__new__(Run)
        run.operator, run.number = operator, self.run_count
        self.run_count += 1
        return run

    def add_gradient(self, Run run, role, slot, gradient):
        """Add a gradient that autograd just computed, to the backward pass of a module.

        It may be the output of some modules and the input of others, in this order, inner modules before outer ones;
        hooks come the other way round.
        """
        cdef bint is_output = role is OUTPUT
        if self.last_gradient != id(gradient) or (self.was_output and not is_output):
            self.events += 2 * AT_ONCE - self.events % AT_ONCE
        self.last_gradient, self.was_output = id(gradient), is_output
        self.events += 1
        cdef long long offset = self.events % AT_ONCE
        self.ended[run.number] = self.events - 2 * offset if is_output else self.events
        self.add(run, role, slot, gradient)

    cpdef Py_ssize_t add(self, Run run, role, slot, tensor) except -2:
        """Add a tensor; returns the row of its statistics, -1 if it has none."""
        return self.add_row(run, role, slot, tensor, self.vectors.row_of(tensor))

    cpdef Py_ssize_t add_row(self, Run run, role, slot, tensor, Py_ssize_t row) except -2:
        """Add a tensor that was summarized."""
        cdef tuple known
        if row < 0:
            return row
        known = <tuple> run.operator.tensors.get((role, slot))
        if known is not None and known[1] is tensor.dtype and (known[2] is None or known[2] == tensor.shape):
            index = known[0]
        else:
            index = self.table.meet(run.operator, role, slot, tensor)
        self.add_index(index)
        self.add_source(row)
        self.add_run(run.number)
        return row

    def read_inputs(self, kind, tuple args, dict kwargs):
        """Slot, tensor and row of each input of an operator that is about to run."""
        cdef list inputs = []
        cdef Py_ssize_t index = 0
        for value in args:
            if isinstance(value, Tensor):
                if index or not kind.is_overwriting:
                    inputs.append((SLOTS[index] if index < 64 else str(index), value, self.vectors.row_of(value)))
            elif isinstance(value, (list, tuple)):
                for slot, each in tensors_in(value, str(index)):
                    inputs.append((slot, each, self.vectors.row_of(each)))
            index += 1
        for name, value in kwargs.items():
            if name != "out":
                for slot, each in tensors_in(value, name):
                    inputs.append((slot, each, self.vectors.row_of(each)))
        return inputs

    def add_operator(self, Run run, list inputs, list outputs):
        """Add the tensors of an operator that ran: slot, tensor and row of each."""
        for slot, tensor, row in inputs:
            self.add_row(run, INPUT, slot, tensor, row)
        for slot, tensor, row in outputs:
            self.add_row(run, OUTPUT, slot, tensor, row)
