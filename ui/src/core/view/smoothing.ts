// SPDX-License-Identifier: Apache-2.0
import type { ScalarView } from "./scalarView";

/** How all points are smoothed before they are reduced; what is 0 is left out. The server's words. */
export interface Smoothing {
  weight: number;
  half_life_steps: number;
  half_life_seconds: number;
  median_points: number;
}

export const UNSMOOTHED: Smoothing = { weight: 0, half_life_steps: 0, half_life_seconds: 0, median_points: 0 };

export function smoothingOf({ smoother, reach }: Pick<ScalarView, "smoother" | "reach">, weight: number): Smoothing {
  if (smoother === "weight") return { ...UNSMOOTHED, weight };
  if (smoother === "median") return { ...UNSMOOTHED, median_points: Math.max(1, Math.round(reach)) };
  return { ...UNSMOOTHED, [smoother]: reach };
}

export function isWeightOnly(smoothing: Smoothing): boolean {
  return smoothing.half_life_steps === 0 && smoothing.half_life_seconds === 0 && smoothing.median_points === 0;
}
