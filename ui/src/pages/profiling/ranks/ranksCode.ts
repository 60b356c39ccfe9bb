// SPDX-License-Identifier: Apache-2.0
/** Lines that profile each rank of a training. */
export const RANKS_CODE = `# in each process, after torch.distributed.init_process_group(...)
from mindscope.torch import Profiler
profiler = Profiler(output_path="runs/first", schedule={"wait": 5, "warmup": 1, "active": 3})
for batch in loader:
    train_step(batch)
    profiler.step()`;
