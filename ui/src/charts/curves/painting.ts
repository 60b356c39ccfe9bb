// SPDX-License-Identifier: Apache-2.0
import type { PlotFrame } from "../frame/plotFrame";

/** What everything drawn in a chart of curves needs to know. */
export interface Painting {
  /** Scaled so that its unit is a CSS pixel. */
  ctx: CanvasRenderingContext2D;
  frame: PlotFrame;
  isLog: boolean;
  isLogX: boolean;
  /** Mark values that are finite but beyond the shown heights. */
  marksFar: boolean;
  ink: (color: string) => string;
}
