// SPDX-License-Identifier: Apache-2.0
import type { Range } from "./axis";
import { paddedExtent } from "./extent";

/** A box on a chart in the units of its axes. */
export interface Box {
  x: Range;
  y: Range;
}

/** Boxes dragged one inside the other; the last one is shown. Empty means everything. */
export type ZoomStack = readonly Box[];

export const UNZOOMED: ZoomStack = [];

export function shownBox(stack: ZoomStack): Box | null {
  return stack.at(-1) ?? null;
}

export function zoomInto(stack: ZoomStack, box: Box): ZoomStack {
  return box.x[0] < box.x[1] && box.y[0] < box.y[1] ? [...stack, box] : stack;
}

export function stepBack(stack: ZoomStack): ZoomStack {
  return stack.slice(0, -1);
}

/** What an alert is about, with air above and below; steps of the points around it and the numbers that they have. */
export function zoomTo(around: { first_step: number; last_step: number; lowest: number; highest: number }, isLog: boolean): Box {
  const { lowest, highest } = around;
  const drawn: Range | null = !isLog || lowest > 0 ? [lowest, highest] : highest > 0 ? [highest / 1e3, highest] : null;
  return { x: [around.first_step, around.last_step], y: paddedExtent(drawn, isLog) };
}

/** The box rounded to a ten-thousandth of its width, so that links stay short. */
export function tidyBox(box: Box, isLog: boolean): Box {
  const y: Range = isLog ? [Number(box.y[0].toPrecision(5)), Number(box.y[1].toPrecision(5))] : tidyRange(box.y);
  return { x: tidyRange(box.x), y };
}

function tidyRange([low, high]: Range): Range {
  const decimals = Math.ceil(4 - Math.log10(high - low));
  if (!Number.isFinite(decimals) || decimals > 100) return [low, high];
  const round = (value: number): number => Number(value.toFixed(Math.max(0, decimals)));
  return [round(low), round(high)];
}
