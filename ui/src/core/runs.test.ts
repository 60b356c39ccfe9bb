// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { assignSlots, SLOTS } from "./colorAssignment";
import { compareNames, orderedBy } from "./naturalSort";
import { inclusionSetOf, includedIn } from "./inclusionSet";
import { defaultSelection, DEFAULT_SELECTED } from "./defaultSelection";
import { kindCounts, sortedRuns, type RunFacts } from "./runTable";

const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 40 });

describe("colors", () => {
  it("never change once given, and neighbours differ", () => {
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

describe("the choice of runs", () => {
  it("shows exactly what was chosen", () => {
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.boolean()), (runs, coins) => {
        const shown = runs.filter(() => coins.next().value as boolean);
        const choice = inclusionSetOf(new Set(shown), runs);
        expect(includedIn(choice, runs)).toEqual(shown);
      }),
    );
  });

  it("includes runs still to come when all were chosen", () => {
    expect(includedIn(inclusionSetOf(new Set(["a", "b"]), ["a", "b"]), ["a", "b", "later"])).toContain("later");
  });

  it("begins with the newest of very many", () => {
    const runs = Array.from({ length: DEFAULT_SELECTED + 5 }, (_, index) => ({ id: `r${index}`, last_wall_time: index }));
    expect(defaultSelection(runs)).toHaveLength(DEFAULT_SELECTED);
    expect(defaultSelection(runs)[0]).toBe(`r${DEFAULT_SELECTED + 4}`);
    expect(defaultSelection(runs.slice(0, 3))).toEqual(["r0", "r1", "r2"]);
  });
});

describe("the table of runs", () => {
  const run = (facts: Partial<RunFacts>): RunFacts => ({
    id: "a",
    state: "idle",
    files: 1,
    size_bytes: 0,
    first_wall_time: null,
    last_wall_time: null,
    last_step: null,
    tags: {},
    damages: 0,
    dropped: 0,
    ...facts,
  });

  it("sorts names as people count and puts the unknown last", () => {
    const rows = [run({ id: "r10", last_step: 5 }), run({ id: "r9" }), run({ id: "r2", last_step: 7 })];
    expect(sortedRuns(rows, "name", false).map(({ id }) => id)).toEqual(["r2", "r9", "r10"]);
    expect(sortedRuns(rows, "step", true).map(({ id }) => id)).toEqual(["r2", "r10", "r9"]);
    expect(sortedRuns(rows, "step", false).map(({ id }) => id)).toEqual(["r10", "r2", "r9"]);
  });

  it("counts kinds in a fixed order and hides none", () => {
    expect(kindCounts({ graph: 1, scalar: 3, train_lineage: 1, mesh: 2, pr_curve: 1, image: 0 })).toEqual([
      { kind: "scalar", count: 3 },
      { kind: "graph", count: 1 },
      { kind: "lineage", count: 1 },
      { kind: "other", count: 3 },
    ]);
  });

  it("orders without touching its input", () => {
    const items = [3, 1, 2];
    expect(orderedBy(items, (item) => item, false)).toEqual([1, 2, 3]);
    expect(items).toEqual([3, 1, 2]);
  });

  it("counts as people do, and keeps a directory together", () => {
    const rates = ["0.0001", "0.001", "0.01", "0.1", "1"];
    const runs = rates.flatMap((rate) => ["1", "2", "10"].map((seed) => `adam/lr${rate}/seed${seed}`));
    const ordered = ["9", "10", "a/b", "a/c", "a1", "a2/x", "a10", ...runs, "b", "B2", "b02c", "b2d"];
    expect([...ordered].reverse().sort(compareNames)).toEqual([...ordered].sort(compareNames));
    expect([...runs].reverse().sort(compareNames)).toEqual(runs);
    const sizes = ["lr0/x", "lr0.005", "lr0.02", "lr0.05", "lr0.25", "lr0.5", "lr1", "lr2.9", "lr2.10", "v0.9.1", "v0.10.2"];
    expect([...sizes].reverse().sort(compareNames)).toEqual(sizes);
    expect(["a10", "a2/x", "a1", "a/c", "a/b", "10", "9"].sort(compareNames)).toEqual(ordered.slice(0, 7));
  });

  it("is an order: whatever the names, sorting them any way round gives the same", () => {
    const piece = fc.constantFrom("a", "A", "1", "01", "10", "0.", ".", "/", "é", "_", "文", "");
    const some = fc.uniqueArray(fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")), { maxLength: 8 });
    fc.assert(
      fc.property(some, (list) => {
        expect([...list].reverse().sort(compareNames)).toEqual([...list].sort(compareNames));
      }),
    );
  });
});
