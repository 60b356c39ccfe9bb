// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { MEMORY_VIEW, STEPS_VIEW, type MemoryView, type StepsView } from "./profileParts";

it("keeps the views of memory and steps in the address", () => {
  const memory: MemoryView = {
    ...{ device: "GPU 0", range: [-5, 90], time: 7, by: "line", isStacked: true },
    ...{ panel: "flame", group: "", block: 3, page: 2, isAllocated: true },
  };
  const steps: StepsView = { step: 12, hidden: ["tail", "idle"], operation: "BatchOp_1" };
  const query = new URLSearchParams();
  MEMORY_VIEW.write(memory, query);
  STEPS_VIEW.write(steps, query);
  const read = new URLSearchParams(query.toString());
  expect(MEMORY_VIEW.read(read)).toEqual(memory);
  expect(STEPS_VIEW.read(read)).toEqual(steps);
});

it("takes nothing from a link that says it wrongly", () => {
  const query = new URLSearchParams("memory=9~3&memory_at=x&memory_by=color&memory_panel=&memory_block=-1&memory_page=-4&profile_step=a");
  expect(MEMORY_VIEW.read(query)).toEqual(MEMORY_VIEW.defaultValue);
  expect(STEPS_VIEW.read(query)).toEqual(STEPS_VIEW.defaultValue);
});
