// SPDX-License-Identifier: Apache-2.0
import { haveSameSurface } from "../../core/landscapes/commonPlane";
import type { Landscape, PathPoint } from "../../core/landscapes/landscape";
import type { LossScale } from "../../core/landscapes/lossScale";
import type { PlaneWindow } from "../../core/landscapes/planeWindow";
import { POINT, type DrawnSurface } from "../../core/landscapes/surface";
import type { Rgb } from "../../core/scales/colorMap";

/** A landscape as a picture shows it. */
export interface DrawnLandscape {
  landscape: Landscape;
  surface: DrawnSurface;
  scale: LossScale;
  /** Its run's color, a CSS color. */
  color: string;
  name: string;
}

/** How a picture draws its landscapes. */
export interface LandscapeLook {
  /** Colors from the lowest to the highest loss. */
  stops: readonly Rgb[];
  levels: number;
  height: number;
  opacity: number;
  light: number;
  hasPath: boolean;
  hasLines: boolean;
  hasPoints: boolean;
  /** The shown part of a plane that is drawn from above. */
  window: PlaneWindow;
  /** Names of both axes of the plane. */
  axes: readonly [string, string];
  lossName: string;
}

/** What a picture is pointed at: a point of the grid, or a checkpoint. */
export interface LandscapeHover {
  drawn: DrawnLandscape;
  /** Index of the point in the grid; -1 for a checkpoint. */
  point: number;
  /** Index of the checkpoint; -1 for a point of the grid. */
  checkpoint: number;
  clientX: number;
  clientY: number;
}

/** Landscapes whose losses a picture draws: of those with the same surface the first, of which the others add their path. */
export function distinctSurfaces(all: readonly DrawnLandscape[]): DrawnLandscape[] {
  return all.filter(({ landscape }, index) => !all.slice(0, index).some((other) => haveSameSurface(other.landscape, landscape)));
}

/** The color of the last checkpoint. Several paths have the colors of their runs, which are not to be mistaken for it. */
export function lastColor(isMany: boolean): string {
  return isMany ? "var(--ink)" : "var(--series-1)";
}

/** Ranges of the plane that hold all landscapes and their paths. */
export function planeRanges(all: readonly DrawnLandscape[]): { x: [number, number]; y: [number, number] } {
  const of = (axis: "x" | "y"): [number, number] => {
    const ends = all.flatMap(({ landscape }) => [landscape[axis][0]!, landscape[axis].at(-1)!]);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    return high > low ? [low, high] : [low - 0.5, high + 0.5];
  };
  return { x: of("x"), y: of("y") };
}

const MISSING_COLORS: Readonly<Record<number, string>> = {
  [POINT.nan]: "var(--series-3)",
  [POINT.positiveInfinity]: "var(--series-1)",
  [POINT.negativeInfinity]: "var(--ink)",
};

/** Color of points without a finite loss; quiet where the loss is only not computed yet. Null for points with one. */
export function missingColor(state: number, isPartial: boolean): string | null {
  return state === POINT.nan && isPartial ? "var(--outline)" : (MISSING_COLORS[state] ?? null);
}

export function checkpointsOf({ landscape: { path } }: DrawnLandscape): PathPoint[] {
  return Array.from(path?.x ?? [], (x, index) => ({ x, y: path!.y[index]!, loss: path!.loss[index]! }));
}
