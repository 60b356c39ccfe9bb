// SPDX-License-Identifier: Apache-2.0
/** Slots of the categorical palette; their colors are in styles/tokens.css. */
export const SLOTS = 10;

export type Slots = Readonly<Record<string, number>>;

/**
 * Gives every run without a slot the first of the least used slots, never that of its neighbor in the list, and
 * leaves the slots that runs already have alone. `runs` is in the order in which they are listed.
 */
export function assignSlots(known: Slots, runs: readonly string[]): Slots {
  const used = new Array<number>(SLOTS).fill(0);
  const slots = new Map(Object.entries(known));
  for (const run of runs) if (slots.has(run)) used[slots.get(run)!]!++;
  runs.forEach((run, index) => {
    if (slots.has(run)) return;
    const slot = freeSlot(used, slots.get(runs[index - 1] ?? ""), slots.get(runs[index + 1] ?? ""));
    slots.set(run, slot);
    used[slot]!++;
  });
  return Object.fromEntries(slots);
}

function freeSlot(used: readonly number[], before: number | undefined, after: number | undefined): number {
  const free = used.map((count, slot) => ({ count, slot })).filter(({ slot }) => slot !== before && slot !== after);
  return free.reduce((best, one) => (one.count < best.count ? one : best)).slot;
}
