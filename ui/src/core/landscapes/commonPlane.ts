// SPDX-License-Identifier: Apache-2.0
import { isLine, type Landscape } from "./landscape";

/** The largest difference of coordinates of one checkpoint, as a share of the extent of the path. */
const ROUNDING = 1e-4;
/** Two checkpoints lie on many planes, and on one line. */
const FEWEST_CHECKPOINTS = { plane: 3, line: 2 };

type OnPlane = Pick<Landscape, "run" | "x" | "y" | "path" | "facts">;

/**
 * Whether equal coordinates mean equal weights: the log says so, or, where it does not say, the same checkpoints of a run have the same
 * coordinates. Coordinates of other runs and of other checkpoints count along directions of their own.
 */
export function haveCommonPlane(one: OnPlane, other: OnPlane): boolean {
  if (isLine(one) !== isLine(other)) return false;
  const [id, otherId] = [one.facts?.plane_id, other.facts?.plane_id];
  return id && otherId ? id === otherId : haveEqualPaths(one, other);
}

function haveEqualPaths(one: OnPlane, other: OnPlane): boolean {
  if (one.run !== other.run || !one.path || !other.path) return false;
  const [steps, others] = [one.path.steps, other.path.steps];
  const fewest = FEWEST_CHECKPOINTS[isLine(one) ? "line" : "plane"];
  if (steps.length < fewest || steps.length !== others.length || steps.some((step, place) => step !== others[place])) return false;
  const extent = Math.max(...[...one.path.x, ...one.path.y].map(Math.abs));
  const isNear = (a: Float64Array, b: Float64Array): boolean => a.every((value, place) => Math.abs(value - b[place]!) <= ROUNDING * extent);
  return isNear(one.path.x, other.path.x) && isNear(one.path.y, other.path.y);
}

/** Whether both surfaces are the same, as those of runs on a common plane, which differ in their paths only. */
export function haveSameSurface(one: Landscape, other: Landscape): boolean {
  const isSame = (a: Float64Array, b: Float64Array): boolean =>
    a.length === b.length && a.every((value, index) => Object.is(value, b[index]));
  const { x, y, losses } = one;
  return haveCommonPlane(one, other) && isSame(x, other.x) && isSame(y, other.y) && isSame(losses, other.losses);
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
