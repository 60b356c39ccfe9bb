// SPDX-License-Identifier: Apache-2.0
/** Slots of the categorical palette; their colours are in styles/tokens.css. */
export const SLOTS = 10;

export type Slots = Readonly<Record<string, number>>;

/** FNV-1a: the same run gets the same first choice on every machine. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * Gives every run without a slot one of the least used slots, never that of its neighbour in the list, and leaves
 * the slots that runs already have alone. `runs` is in the order in which they are listed.
 */
export function assignSlots(known: Slots, runs: readonly string[]): Slots {
  const used = new Array<number>(SLOTS).fill(0);
  for (const run of runs) if (known[run] !== undefined) used[known[run]]!++;
  const slots: Record<string, number> = { ...known };
  runs.forEach((run, index) => {
    if (slots[run] !== undefined) return;
    const slot = freeSlot(used, hashText(run) % SLOTS, slots[runs[index - 1] ?? ""], slots[runs[index + 1] ?? ""]);
    slots[run] = slot;
    used[slot]!++;
  });
  return slots;
}

function freeSlot(used: readonly number[], wanted: number, before: number | undefined, after: number | undefined): number {
  const least = Math.min(...used.filter((_, slot) => slot !== before && slot !== after));
  for (let step = 0; step < SLOTS; step++) {
    const slot = (wanted + step) % SLOTS;
    if (slot !== before && slot !== after && used[slot] === least) return slot;
  }
  return wanted;
}
