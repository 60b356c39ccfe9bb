// SPDX-License-Identifier: Apache-2.0
import { labelWidth } from "../frame/labelWidth";
import { plotFrame, type PlotFrame, type Size } from "../frame/plotFrame";

/** Recall and precision, each from 0 to 1. */
export const PR_RANGES = { x: [0, 1], ys: [[0, 1]] } as const;

export function prFrame(size: Size, xTitle: string, yTitle: string): PlotFrame {
  const across = { axis: "value", isLog: false, title: xTitle } as const;
  return plotFrame(size, PR_RANGES, across, [{ title: yTitle, color: null, isLog: false }], labelWidth);
}
