// SPDX-License-Identifier: Apache-2.0
/** Slots of the categorical palette; their colors are in styles/tokens.css. */
export const SLOTS = 10;

export type Slots = Readonly<Record<string, number>>;

/** How the line of a run looks: its color, and which of the lines of that color it is. No two are equal. */
export interface LineLook {
  color: string;
  /** 0 for a whole line, then dashes. */
  repetition: number;
  /** A person gave the color. */
  isChosen: boolean;
}

export function slotColor(slot: number): string {
  return `var(--series-${slot % SLOTS})`;
}

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

/**
 * Looks of the selected runs, in the order in which they are listed. A run that stays keeps its look; another gets its
 * preferred slot if no other has it, else the first of the least used ones. `chosenOf` is a color that a person gave.
 */
export function assignLooks(
  before: ReadonlyMap<string, LineLook>,
  selected: readonly string[],
  preferred: Slots,
  chosenOf: (run: string) => string | null,
): ReadonlyMap<string, LineLook> {
  const staying = new Map(selected.flatMap((run) => (before.get(run)?.isChosen === false ? [[run, before.get(run)!.color] as const] : [])));
  const chosen = new Map(selected.flatMap((run) => (chosenOf(run) === null ? [] : [[run, chosenOf(run)!] as const])));
  const colors = new Map([...staying, ...chosen]);
  const taken = new Map<string, number>();
  for (const color of colors.values()) taken.set(color, (taken.get(color) ?? 0) + 1);
  const take = (run: string, slot: number): void => {
    colors.set(run, slotColor(slot));
    taken.set(slotColor(slot), (taken.get(slotColor(slot)) ?? 0) + 1);
  };
  for (const run of selected) {
    const slot = Object.hasOwn(preferred, run) ? preferred[run]! : null;
    if (!colors.has(run) && slot !== null && !taken.has(slotColor(slot))) take(run, slot);
  }
  selected.forEach((run, index) => {
    if (colors.has(run)) return;
    const used = Array.from({ length: SLOTS }, (_, slot) => taken.get(slotColor(slot)) ?? 0);
    take(run, freeSlot(used, slotOf(colors.get(selected[index - 1] ?? "")), slotOf(colors.get(selected[index + 1] ?? ""))));
  });
  return withRepetitions(before, selected, colors, chosen);
}

/** The slot of a color of the palette. */
export function slotOf(color: string | undefined): number | undefined {
  const digits = /^var\(--series-(\d+)\)$/.exec(color ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Lines that keep their color keep their repetition; the others get the lowest free one of their color. */
function withRepetitions(
  before: ReadonlyMap<string, LineLook>,
  selected: readonly string[],
  colors: ReadonlyMap<string, string>,
  chosen: ReadonlyMap<string, string>,
): ReadonlyMap<string, LineLook> {
  const taken = new Map<string, Set<number>>();
  const takenOf = (color: string): Set<number> => taken.get(color) ?? taken.set(color, new Set()).get(color)!;
  const stays = (run: string): boolean => before.get(run)?.color === colors.get(run);
  for (const run of selected) if (stays(run)) takenOf(colors.get(run)!).add(before.get(run)!.repetition);
  return new Map(
    selected.map((run) => {
      const [color, isChosen] = [colors.get(run)!, chosen.has(run)];
      const same = stays(run) ? before.get(run)! : null;
      if (same) return [run, same.isChosen === isChosen ? same : { ...same, isChosen }];
      const repetition = lowestFree(takenOf(color));
      takenOf(color).add(repetition);
      return [run, { color, repetition, isChosen }];
    }),
  );
}

function lowestFree(taken: ReadonlySet<number>): number {
  let free = 0;
  while (taken.has(free)) free++;
  return free;
}

function freeSlot(used: readonly number[], before: number | undefined, after: number | undefined): number {
  const free = used.map((count, slot) => ({ count, slot })).filter(({ slot }) => slot !== before && slot !== after);
  return free.reduce((best, one) => (one.count < best.count ? one : best)).slot;
}
