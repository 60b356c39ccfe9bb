// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/en/debug.json";
import { catalogTexts } from "../catalogTexts";

/** Of the first bad number among the findings, which add them. */
export const firstBadTexts = {
  ...catalogTexts("debug.bad", catalog.first_bad),
  "debug.bad_none": "No NaN and no infinity damages the training",
  "debug.bad_searching": "Looking for the first NaN or Inf: {read} of {n} steps",
  "debug.bad_unreadable": "{n} {n|step|steps} can’t be read; an earlier number may be bad.",
  "debug.bad_slot": "{role} {slot} of {operator}",
  "debug.verdict_count": "{bad} of {n} runs {bad|has|have} {kind}",
  "debug.verdict_both": "NaN or Inf",
  "debug.verdict_ended": "The training ended within step {step}, after {operator}.",
  "debug.bad_open": "Open this tensor",
  "debug.bad_tensors": "Inputs and outputs of {operator}",
  "debug.bad_tensor": "Tensor",
  "debug.bad_growth": "Growth of {tensor}",
  "debug.bad_graph": "Show in graph",
  "debug.bad_chain": "How it spread",
  "debug.bad_chain_hint":
    "From the first bad operator to the loss, or to gradients and parameters. Click one to open its tensor at step {step}.",
  "debug.bad_other_ranks": "First bad operators of other ranks in this step",
} as const;
