// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";

type Rise = Message<"LandscapeRise">;

/** A landscape of a list, as far as flatness needs it. */
export interface RisingLandscape {
  run: string;
  method: string;
  plane_id: string;
  interval: readonly number[];
  rise: Rise | null;
}

/** How the loss rises around the end of a run; null is an infinite rise. */
export interface RunFlatness {
  run: string;
  mean: number | null;
  highest: number | null;
  lowest: number | null;
}

export interface Flatness {
  /** Distance from the end of each run, as a share of the norm of the weights. */
  radius: number;
  /** All runs are on one plane. */
  isCommon: boolean;
  /** How the planes were chosen, such as `random`. */
  method: string;
  /** Flattest first. */
  runs: readonly RunFlatness[];
}

/** Up to here a minimum is described, as in Python. */
const NEAR = 0.1;
const METHODS = ["random", "pca", "hessian", "three", "line"];

/**
 * How flat the ends of runs are, on planes that can be compared: one plane for all, or planes that were chosen the same way. Of all
 * ways, the one that has most runs, in this order; null if no log says how far its points are from each other.
 */
export function flatness(entries: readonly RisingLandscape[]): Flatness | null {
  const rising = entries.filter(({ rise }) => rise !== null);
  const planes = [...new Set(rising.map(({ plane_id }) => plane_id))].filter((plane) => plane !== "");
  const methods = [...new Set([...METHODS, ...rising.map(({ method }) => method)])];
  const ways = [
    ...planes.map((plane) => newest(rising.filter(({ plane_id }) => plane_id === plane))).filter((some) => some.length > 1),
    ...methods.map((method) => newest(rising.filter((entry) => entry.method === method))),
  ];
  return ways.reduce<Flatness | null>((best, some) => {
    const next = compared(some);
    return next && next.runs.length > (best?.runs.length ?? 0) ? next : best;
  }, null);
}

/** Of each run the landscape whose path ends last. */
function newest(entries: readonly RisingLandscape[]): RisingLandscape[] {
  const ends = new Map<string, RisingLandscape>();
  for (const entry of entries) {
    const before = ends.get(entry.run);
    if (!before || lastOf(entry) >= lastOf(before)) ends.set(entry.run, entry);
  }
  return [...ends.values()];
}

function lastOf({ interval }: RisingLandscape): number {
  return interval.length > 0 ? Math.max(...interval) : Infinity;
}

function compared(entries: readonly RisingLandscape[]): Flatness | null {
  const [first, ...others] = entries;
  if (!first) return null;
  const shared = first.rise!.radius.filter((radius) => others.every(({ rise }) => rise!.radius.includes(radius)));
  const radius = shared.findLast((each) => each <= NEAR) ?? shared[0];
  if (radius === undefined) return null;
  const runs = entries.map(({ run, rise }) => {
    const at = rise!.radius.indexOf(radius);
    return { run, mean: rise!.mean[at]!, highest: rise!.highest[at]!, lowest: rise!.lowest[at]! };
  });
  runs.sort((one, other) => (one.mean ?? Infinity) - (other.mean ?? Infinity) || 0);
  const isCommon = others.length > 0 && first.plane_id !== "" && others.every(({ plane_id }) => plane_id === first.plane_id);
  return { radius, isCommon, method: first.method, runs };
}

/** Of the highest rise: a fall below this share of it is no sign that the training could go on. */
const SMALL_FALL = 0.05;

/** Whether the loss falls in a direction: the training did not end in a minimum of its plane. */
export function isFalling({ highest, lowest }: RunFlatness): boolean {
  return lowest !== null && lowest < 0 && -lowest > SMALL_FALL * (highest ?? Infinity);
}
