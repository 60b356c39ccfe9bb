// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { assignSlots, SLOTS } from "./colorAssignment";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 40 });

describe("colors", () => {
  it("never change once given, and neighbors differ", () => {
    fc.assert(
      fc.property(names, fc.nat(), (runs, cut) => {
        const first = assignSlots({}, runs.slice(0, cut % (runs.length + 1)));
        const all = assignSlots(first, runs);
        for (const [run, slot] of Object.entries(first)) expect(all[run]).toBe(slot);
        runs.forEach((run, index) => {
          const next = runs[index + 1];
          if (next !== undefined && first[run] === undefined) expect(all[run]).not.toBe(all[next]);
        });
      }),
    );
  });

  it("are all different for as many runs as there are", () => {
    const runs = Array.from({ length: SLOTS }, (_, index) => `run ${index}`);
    expect(new Set(Object.values(assignSlots({}, runs))).size).toBe(SLOTS);
  });
});
