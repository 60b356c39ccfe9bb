// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { assignLooks, assignSlots, slotColor, SLOTS, type LineLook } from "./colorAssignment";

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

const none = (): null => null;

function selected(runs: readonly string[], before: ReadonlyMap<string, LineLook> = new Map(), slots = {}): ReadonlyMap<string, LineLook> {
  return assignLooks(before, runs, slots, none);
}

function lookTexts(looks: ReadonlyMap<string, LineLook>): string[] {
  return [...looks.values()].map(({ color, repetition }) => `${color} ${repetition}`);
}

describe("looks of selected runs", () => {
  it("are never alike, at any count, with colors that people gave, and stay while a run stays", () => {
    const chosen = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }), fc.constantFrom(slotColor(3), "#123456"));
    fc.assert(
      fc.property(names, names, chosen, fc.nat(), (first, second, given, seed) => {
        const preferred = Object.fromEntries([...first, ...second].map((run, index) => [run, (index * seed) % SLOTS]));
        const chosenOf = (run: string): string | null => (Object.hasOwn(given, run) ? given[run]! : null);
        const before = assignLooks(new Map(), first, preferred, chosenOf);
        const after = assignLooks(before, second, preferred, chosenOf);
        for (const looks of [before, after]) expect(new Set(lookTexts(looks)).size).toBe(looks.size);
        for (const run of second) if (before.has(run)) expect(after.get(run)).toBe(before.get(run));
        expect([...after.keys()]).toEqual(second);
      }),
    );
  });

  it("differ in color while there are colors, also where all prefer the same", () => {
    const seeds = ["seed0", "seed1", "seed2"];
    const looks = selected(seeds, new Map(), { seed0: 0, seed1: 0, seed2: 0 });
    expect(lookTexts(looks)).toEqual([0, 1, 2].map((slot) => `${slotColor(slot)} 0`));
    const many = selected(Array.from({ length: 2 * SLOTS }, (_, index) => `run ${index}`));
    expect([...many.values()].filter(({ repetition }) => repetition === 0)).toHaveLength(SLOTS);
  });

  it("leave a color to the run that has it when another joins or comes back", () => {
    const slots = { a: 0, b: 0 };
    const a = selected(["a"], new Map(), slots);
    const both = selected(["b", "a"], a, slots);
    expect(both.get("a")?.color).toBe(slotColor(0));
    expect(both.get("b")?.color).toBe(slotColor(1));
    expect(selected(["b"], both, slots).get("b")?.color).toBe(slotColor(1));
  });

  it("follow a color that a person gives and takes back", () => {
    const before = selected(["a", "b"]);
    const given = assignLooks(before, ["a", "b"], {}, (run) => (run === "b" ? slotColor(0) : null));
    expect(lookTexts(given)).toEqual([`${slotColor(0)} 0`, `${slotColor(0)} 1`]);
    expect(lookTexts(selected(["a", "b"], given))).toEqual([`${slotColor(0)} 0`, `${slotColor(1)} 0`]);
  });
});
