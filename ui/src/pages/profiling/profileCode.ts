// SPDX-License-Identifier: Apache-2.0
/** Lines that record a profile: in PyTorch, and in MindSpore. */
export const PROFILE_CODE = `# PyTorch
from mindscope.torch import Profiler
with Profiler(output_path="runs/first/profiler") as profiler:
    for batch in loader:
        train_step(batch)
        profiler.step()

# PyTorch's own profiler
with torch.profiler.profile(
        schedule=torch.profiler.schedule(wait=5, warmup=1, active=3, repeat=1),
        on_trace_ready=torch.profiler.tensorboard_trace_handler("runs/first")) as profiler:
    ...

# MindSpore
from mindscope.mindspore import Profiler
profiler = Profiler(output_path="runs/first")
model.train(...)
profiler.analyse()`;
