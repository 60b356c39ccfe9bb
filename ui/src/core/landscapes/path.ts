// SPDX-License-Identifier: Apache-2.0
import { rowAtStep, unionOfSteps } from "../series/steps";
import type { Landscape, LandscapePath } from "./landscape";

const [SMALLEST, WIDEST] = [3, 8];

/** Radius of a checkpoint in CSS pixels: larger the farther it is from the plane, as a share of its distance from the origin. */
export function checkpointRadius(offPlane: number): number {
  return SMALLEST + WIDEST * Math.min(1, Math.max(0, offPlane));
}

export function radiiOf({ x, offPlane }: LandscapePath): Float64Array {
  return Float64Array.from(x, (_, index) => checkpointRadius(offPlane?.[index] ?? 0));
}

/** Steps or epochs of all paths, for one slider. */
export function sharedSteps(landscapes: readonly Pick<Landscape, "path">[]): number[] {
  return unionOfSteps(landscapes.flatMap(({ path }) => (path ? [path.steps] : [])));
}

/** How many checkpoints of a path there are up to a step; all of them for null. */
export function checkpointsUpTo({ steps }: Pick<LandscapePath, "steps">, step: number | null): number {
  if (step === null) return steps.length;
  return steps.length === 0 || step < steps[0]! ? 0 : rowAtStep(steps, step) + 1;
}

/** Training steps in one step or epoch of an interval. */
export function stepsPerUnit(unit: string, stepsPerEpoch: number): number {
  return unit === "epoch" && stepsPerEpoch > 0 ? stepsPerEpoch : 1;
}
