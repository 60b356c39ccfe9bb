// SPDX-License-Identifier: Apache-2.0
/** What figures of `Runs.plot` have to agree with: the Python tests read the same files. */
import { expect, it } from "vitest";

import { assignLooks, assignSlots, slotColor } from "./colorAssignment";
import { parameterGroups } from "./parameterGroups";
import type { ParameterCell } from "../lineage/parameterTable";
import colors from "../../../../tests/plots/run_colors.json";
import groups from "../../../../tests/plots/run_groups.json";

it("gives runs the colors of the figures of Python", () => {
  for (const { names, slots } of colors.slots) expect(assignSlots({}, names)).toEqual(slots);
  for (const look of colors.looks) {
    const chosen = new Map(Object.entries(look.chosen));
    const cssOf = (color: string): string => (color.startsWith("#") ? color : slotColor(Number(color)));
    const chosenOf = (run: string): string | null => (chosen.has(run) ? cssOf(chosen.get(run)!) : null);
    const looks = assignLooks(new Map(), look.selected, look.preferred as Record<string, number>, chosenOf);
    const want = Object.entries(look.colors).map(([run, color]) => [run, cssOf(color)]);
    expect([...looks].map(([run, { color }]) => [run, color])).toEqual(want);
  }
});

it("groups runs as the figures of Python do", () => {
  for (const { parameters, runs, groups: want } of groups) {
    const given = Object.entries(parameters).map(([name, cells]) => ({
      name,
      cells: new Map<string, ParameterCell>(Object.entries(cells as Record<string, ParameterCell>)),
    }));
    expect(parameterGroups(runs, given).map(({ key, runs: members }) => [key, members])).toEqual(Object.entries(want));
  }
});
