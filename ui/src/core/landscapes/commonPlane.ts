// SPDX-License-Identifier: Apache-2.0
import { isLine, type Landscape } from "./landscape";

/** The largest difference of coordinates of one checkpoint, as a share of the extent of the path. */
const ROUNDING = 1e-4;
/** Two checkpoints lie on many planes. */
const FEWEST_CHECKPOINTS = 3;

type OnPlane = Pick<Landscape, "run" | "x" | "y" | "path">;

/**
 * Whether equal coordinates mean equal weights: the same checkpoints of a run, at least three, have the same coordinates. Coordinates
 * of other runs and of other checkpoints count along directions of their own.
 */
export function haveCommonPlane(one: OnPlane, other: OnPlane): boolean {
  if (one.run !== other.run || isLine(one) !== isLine(other) || !one.path || !other.path) return false;
  const [steps, others] = [one.path.steps, other.path.steps];
  if (steps.length < FEWEST_CHECKPOINTS || steps.length !== others.length || steps.some((step, place) => step !== others[place]))
    return false;
  const extent = Math.max(...[...one.path.x, ...one.path.y].map(Math.abs));
  const isNear = (a: Float64Array, b: Float64Array): boolean => a.every((value, place) => Math.abs(value - b[place]!) <= ROUNDING * extent);
  return isNear(one.path.x, other.path.x) && isNear(one.path.y, other.path.y);
}

/** Landscapes that one picture can show: those of one plane, and all lines, whose losses are curves. */
export function overlayGroups<Drawn extends { landscape: OnPlane }>(all: readonly Drawn[]): Drawn[][] {
  const groups: Drawn[][] = [];
  for (const drawn of all) {
    const fits = ([first]: Drawn[]): boolean =>
      isLine(drawn.landscape) ? isLine(first!.landscape) : haveCommonPlane(first!.landscape, drawn.landscape);
    const group = groups.find(fits);
    if (group) group.push(drawn);
    else groups.push([drawn]);
  }
  return groups;
}
