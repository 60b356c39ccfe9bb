// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { COLUMN_GAP, runColumns, type RunColumnsPlan } from "./runColumns";

const [PADDING, SMALLEST] = [32, 360];

/** Pixels that the columns take at least. */
function leastWidth({ template }: RunColumnsPlan): number {
  const tracks = template.replaceAll(/minmax\((\d+)px, [\d.]+fr\)/g, "$1px").split(" ");
  return PADDING + tracks.reduce((sum, track) => sum + Number.parseInt(track), 0) + COLUMN_GAP * (tracks.length - 1);
}

describe("columns of the list of runs", () => {
  it("fit into every width that a window has", () => {
    const need = fc.record({
      width: fc.integer({ min: SMALLEST, max: 2560 }),
      kinds: fc.integer({ min: 2, max: 8 }),
      hasNotes: fc.boolean(),
      hasIssues: fc.boolean(),
      lineage: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(need, (wanted) => {
        expect(leastWidth(runColumns(wanted))).toBeLessThanOrEqual(wanted.width);
      }),
    );
  });

  it("are all there in a wide window", () => {
    expect(runColumns({ width: 1560, kinds: 8, hasNotes: true, hasIssues: true, lineage: 0 })).toMatchObject({
      hidden: [],
      brief: [],
      kinds: 8,
    });
  });

  it("keep columns of the lineage longer than facts", () => {
    const plan = runColumns({ width: 700, kinds: 4, hasNotes: true, hasIssues: false, lineage: 3 });
    expect(plan).toMatchObject({ lineage: 3 });
    expect(plan.hidden).toContain("size");
    expect(runColumns({ width: 420, kinds: 4, hasNotes: true, hasIssues: false, lineage: 3 }).lineage).toBeLessThan(3);
  });

  it("give up what matters least first", () => {
    const at = (width: number): readonly string[] => runColumns({ width, kinds: 4, hasNotes: true, hasIssues: false, lineage: 0 }).hidden;
    expect(at(1000)).toEqual(["issues", "files"]);
    expect(at(360)).toEqual(["issues", "files", "size", "duration", "data", "step", "notes", "updated"]);
  });
});
