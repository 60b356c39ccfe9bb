// SPDX-License-Identifier: Apache-2.0
/** Of the tab First bad, which adds them. */
export const firstBadTexts = {
  "debug.bad_none": "No NaN and no infinity damages the training",
  "debug.bad_none_how":
    "mindscope read {n} {n|step|steps}. NaN and Inf do no damage where a mask makes them, or in steps that the scaler of mixed precision skips.",
  "debug.bad_searching": "Looking for the first NaN or Inf: {read} of {n} steps",
  "debug.bad_unreadable": "{n} {n|step|steps} can’t be read; an earlier number may be bad.",
  "debug.bad_pass_forward": "forward pass",
  "debug.bad_pass_backward": "backward pass",
  "debug.bad_pass_optimizer": "optimizer",
  "debug.bad_place": "step {step}",
  "debug.bad_place_rank": "step {step} of rank {rank}",
  "debug.bad_what": "{kinds} in {bad} of {count} elements",
  "debug.bad_what_least": "{kinds} in at least {bad} of {count} elements",
  "debug.bad_and": " and ",
  "debug.bad_gradient": "gradient of {name}",
  "debug.bad_update": "update of {name}",
  "debug.bad_slot": "{role} {slot} of {operator}",
  "debug.bad_operator": "In the {pass} of {place}, {operator} returns {what} from finite inputs.",
  "debug.bad_computed": "In the {pass} of {place}, the {operator} has {what}; what it is computed from is finite.",
  "debug.bad_batch": "The batch of {place} has {what}, in {tensor}; {operator} gets it first.",
  "debug.bad_parameters": "In {place}, the parameter {tensor} has {what} before {operator} uses it.",
  "debug.bad_loss":
    "In {place}, the loss or its backward pass returns {what}. The forward pass of the network is finite; {before} gets the gradient.",
  "debug.bad_unrecorded": "In the {pass} of {place}, an operator that was not recorded returns {what} before {before}.",
  "debug.bad_unrecorded_inside":
    "In the {pass} of {place}, an operator that was not recorded returns {what} inside {operator}, before {before}.",
  "debug.bad_other_rank": "In {place}, {operator} gets {what} from another rank, of which no origin was recorded.",
  "debug.bad_module": "Only modules were recorded. Record operators to name the one inside.",
  "debug.bad_first_step": "It is the first recorded step; an earlier one may be bad too.",
  "debug.bad_open": "Open this tensor",
  "debug.bad_tensors": "Inputs and outputs of {operator}",
  "debug.bad_tensor": "Tensor",
  "debug.bad_growth": "Growth of {tensor}",
  "debug.bad_doubled": "Max |x| doubled each step since step {since}, from {first} to {last}.",
  "debug.bad_grew": "Max |x| grew by {factor} times each step since step {since}, from {first} to {last}.",
  "debug.bad_limit": "{dtype} ends at {limit}.",
  "debug.bad_graph": "Show in graph",
  "debug.bad_chain": "How it spread",
  "debug.bad_chain_hint":
    "From the first bad operator to the loss, or to gradients and parameters. Click one to open its tensor at step {step}.",
  "debug.bad_other_ranks": "First bad operators of other ranks in this step",
} as const;
