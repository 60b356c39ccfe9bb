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
  for (const run of runs) if (known[run] !== undefined) used[known[run]]!++;
  const slots: Record<string, number> = { ...known };
  runs.forEach((run, index) => {
    if (slots[run] !== undefined) return;
    const slot = freeSlot(used, slots[runs[index - 1] ?? ""], slots[runs[index + 1] ?? ""]);
    slots[run] = slot;
    used[slot]!++;
  });
  return slots;
}

function freeSlot(used: readonly number[], before: number | undefined, after: number | undefined): number {
  const free = used.map((count, slot) => ({ count, slot })).filter(({ slot }) => slot !== before && slot !== after);
  return free.reduce((best, one) => (one.count < best.count ? one : best)).slot;
}
