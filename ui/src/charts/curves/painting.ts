// SPDX-License-Identifier: Apache-2.0
import type { PlotFrame } from "../frame/plotFrame";
import type { Ink, Surface } from "../frame/surface";

/** What everything drawn in a chart of curves needs to know. */
export interface Painting {
  /** Scaled so that its unit is a CSS pixel. */
  surface: Surface;
  /** Pixels of the surface for a CSS pixel; 1 for an SVG. */
  ratio: number;
  frame: PlotFrame;
  isLog: boolean;
  isLogX: boolean;
  /** Mark values that are finite but beyond the shown heights. */
  marksFar: boolean;
  ink: Ink;
}
