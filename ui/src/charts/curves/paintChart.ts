// SPDX-License-Identifier: Apache-2.0
import type { Curve } from "../../core/series/curve";
import { paintAxes } from "../frame/paintAxes";
import { paintCurves } from "./paintCurves";
import { paintEndLabels } from "./paintEndLabels";
import { paintGuide, paintMarks, type Guide } from "./paintMarks";
import type { Painting } from "./painting";

export interface ChartContent {
  curves: readonly Curve[];
  guides?: readonly Guide[];
  /** Curves to compare with, faint in their own colors. */
  peers?: readonly Curve[];
}

/** Paints a chart of curves: on the screen, in a downloaded picture and in a saved page. One curve a step. */
export function* paintChart(painting: Painting, { curves, guides = [], peers = [] }: ChartContent): Generator<void> {
  paintAxes(painting);
  yield;
  yield* paintCurves(painting, curves, peers);
  const lines = curves.filter(({ isBehind }) => !isBehind);
  for (const curve of lines) paintMarks(painting, curve);
  for (const guide of guides) paintGuide(painting, guide);
  paintEndLabels(painting, lines);
}

/** Does all steps of a painting at once. */
export function complete(steps: Iterator<void>): void {
  while (!steps.next().done);
}
