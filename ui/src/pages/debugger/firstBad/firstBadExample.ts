// SPDX-License-Identifier: Apache-2.0
import type { DebugFirstBad, DebugGrowth, DebugRow, DebugTensor } from "../../../state/data/debugger";

/** A first bad number for tests: a logarithm of negative numbers. */
export function firstBad(): DebugFirstBad {
  const operator = { kind: "operator" as const, name: "head/aten::log", row: 3 };
  return {
    ...{ cause: "operator", step: 50, rank: 0, phase: "forward", operator, before: operator },
    ...{
      is_first_step: false,
      is_module: false,
      has_finite_inputs: true,
      since: 50,
      made_by: "",
      explanations: [],
      growth: [growth()],
      other_ranks: {},
      stack: ["/train/net.py:49 forward: x.log()"],
    },
    tensor: row(3, "output", { nan: 600, negative_inf: 1, zero: 0, count: 1280 }),
    inputs: [row(2, "input", { nan: 0, negative_inf: 0, count: 1280, min: -4, max: 512 })],
    outputs: [row(3, "output", { nan: 600, negative_inf: 1, count: 1280, min: -2, max: 6 })],
    chain: [operator, { kind: "gradient", name: "fc1.weight", row: 9 }],
  };
}

export function growth(): DebugGrowth {
  return { tensor: tensor(2, "input"), since: 41, factor: 2, first: 2, last_step: 49, last: 512, limit: 65504 };
}

function row(place: number, role: DebugTensor["role"], figures: DebugRow["figures"]): DebugRow {
  return { row: place, tensor: tensor(place, role), figures, digest: "" };
}

function tensor(place: number, role: DebugTensor["role"]): DebugTensor {
  return {
    ...{ tensor: place, operator: "head/aten::log", module: "head", type: "aten::log", phase: "forward", role, slot: "0", call: 0 },
    ...{ dtype: "float16", shape: [128, 10], source_line: "" },
  };
}
