// SPDX-License-Identifier: Apache-2.0
/** Lines that record a landscape: in MindSpore, and in PyTorch. */
export const LANDSCAPE_CODE = `# MindSpore
collector = SummaryCollector(summary_dir, collect_specified_data={
    "collect_landscape": {"landscape_size": 40}})
model.train(10, dataset, callbacks=[collector])
landscape = SummaryLandscape(summary_dir)
landscape.gen_landscapes_with_multi_process(make_model_and_data)

# PyTorch
mindscope landscape RUN --model pkg.module:make_model \\
    --data pkg.module:make_loader --loss torch.nn:CrossEntropyLoss`;
