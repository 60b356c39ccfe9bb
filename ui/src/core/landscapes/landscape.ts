// SPDX-License-Identifier: Apache-2.0
import type { Message } from "../messages/message";

type Header = Message<"LandscapeHeader">;

/**
 * A loss landscape as it was recorded: losses over a plane through the weights, row by row of ascending `y`, and the path of the
 * training. A line has one row.
 */
export interface Landscape extends Omit<Header, "columns" | "interval" | "convergence">, Pick<Header["columns"], "x" | "y" | "losses"> {
  /** 0 where the computation interpolated a loss; null if every loss was computed. */
  evaluated: Uint8Array | null;
  path: LandscapePath | null;
  /** The last point of the training. */
  convergence: PathPoint | null;
}

export interface PathPoint {
  x: number;
  y: number;
  loss: number;
}

/** The checkpoints of the training on the plane. */
export interface LandscapePath {
  /** Step or epoch of each checkpoint; its place in the path where the log does not say. */
  steps: readonly number[];
  x: Float64Array;
  y: Float64Array;
  loss: Float64Array;
  /** How far each checkpoint is from the plane, as a share of its distance from the origin of the plane; null if unknown. */
  offPlane: Float64Array | null;
  /** The same as distances in the space of the weights. */
  distances: Float64Array | null;
}

export type LandscapeFacts = Message<"LandscapeComputation">;

/** Whether points are missing: the computation continues, or it has stopped. */
export function isPartial({ facts }: Pick<Landscape, "facts">): boolean {
  return facts !== null && facts.points_done < facts.points_total;
}

export function isLine({ y }: Pick<Landscape, "y">): boolean {
  return y.length === 1;
}

/** Of the longest way to the origin: a shorter one is rounding of the last checkpoint, which is the origin. */
const SHORTEST = 1e-5;

/** Shares of the distance from the origin that lie outside of the plane; 0 for a checkpoint at the origin. */
export function offPlaneShares(distances: ArrayLike<number>, lengths: ArrayLike<number>): Float64Array {
  const longest = Array.from(lengths).reduce((one, other) => Math.max(one, other), 0);
  return Float64Array.from(distances, (distance, index) =>
    lengths[index]! > SHORTEST * longest ? Math.min(1, Math.max(0, distance / lengths[index]!)) : 0,
  );
}

/** The largest share that the path leaves the plane, and the share of the variance that the plane explains; null if unknown. */
export function planeQuality({ path, facts }: Pick<Landscape, "path" | "facts">): { offPlane: number | null; explained: number | null } {
  const shares = facts?.explained_variance ?? [];
  return {
    offPlane: path?.offPlane ? path.offPlane.reduce((one, other) => Math.max(one, other), 0) : null,
    explained: shares.length > 0 ? Math.min(1, shares[0]! + (shares[1] ?? 0)) : null,
  };
}

/** Raises RangeError unless coordinates ascend. Files of other programs may hold anything. */
export function checkAscending(coordinates: Float64Array, name: string): void {
  for (let index = 0; index < coordinates.length; index++) {
    if (!Number.isFinite(coordinates[index]) || (index > 0 && !(coordinates[index]! > coordinates[index - 1]!)))
      throw new RangeError(`landscape: ${name}[${index}] is ${coordinates[index]}, want finite, ascending coordinates`);
  }
}
