// SPDX-License-Identifier: Apache-2.0
/** Lines that record debugging data: in PyTorch, and in MindSpore. */
export const DEBUG_CODE = `# PyTorch
from mindscope.torch import Debugger
with Debugger("runs/first", network) as debugger:
    for batch in loader:
        train_step(batch)
        debugger.step()

# MindSpore: in dump.json, "path" is in the directory of the run
MINDSPORE_DUMP_CONFIG=dump.json python train.py`;

/** Lines that record whole tensors. */
export const DUMP_CODE = `# PyTorch: all inputs and outputs of operators, for chosen steps
from mindscope.torch import Dump
with Dump(network, "dump.json") as dump:
    for batch in loader:
        train_step(batch)
        dump.step()

# MindSpore
MINDSPORE_DUMP_CONFIG=dump.json python train.py

# dump.json: the path is in the directory of the run
{"common_dump_settings": {
   "path": "/absolute/path/runs/first/dump",
   "net_name": "net", "dump_mode": 0, "iteration": "811-812",
   "saved_data": "tensor", "input_output": 0,
   "kernels": [], "support_device": [0]},
 "e2e_dump_settings": {"enable": true, "trans_flag": true}}`;
