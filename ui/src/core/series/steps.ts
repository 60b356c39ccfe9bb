// SPDX-License-Identifier: Apache-2.0
/** Row to show at a step: the last one up to it, the first when all are later, the newest for null. -1 without rows. */
export function rowAtStep(steps: ArrayLike<number>, step: number | null): number {
  if (step === null || steps.length === 0) return steps.length - 1;
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle]! <= step) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** Every step of any list once, ascending. */
export function unionOfSteps(lists: Iterable<ArrayLike<number>>): number[] {
  const steps = new Set<number>();
  for (const list of lists) for (let row = 0; row < list.length; row++) steps.add(list[row]!);
  return [...steps].sort((one, other) => one - other);
}

/** The step of a row; null for the newest, so that the view follows the training. */
export function stepOfRow(steps: ArrayLike<number>, row: number): number | null {
  return row >= steps.length - 1 ? null : steps[Math.max(0, row)]!;
}

/** Values of a tag as columns, without the first `kept`. */
interface ValueColumns {
  kept: number;
  step: number[];
  wall_time: (number | null)[];
  id: string[];
}

/** The answer with the values in front that it left out because they are known. */
export function completedList<List extends ValueColumns>(answer: List, known: List | undefined): List {
  const { kept } = answer;
  if (!known || kept === 0) return answer;
  return {
    ...answer,
    kept: 0,
    step: [...known.step.slice(0, kept), ...answer.step],
    wall_time: [...known.wall_time.slice(0, kept), ...answer.wall_time],
    id: [...known.id.slice(0, kept), ...answer.id],
  };
}
