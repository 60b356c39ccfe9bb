// SPDX-License-Identifier: Apache-2.0
import type { PointLabel } from "../../core/embeddings/pointLabels";
import type { Ink, Surface } from "../frame/surface";

export const LABEL_FONT = '11px "Inter Variable", system-ui, sans-serif';

/** Labels with a rim in the color of the ground, so that they stay readable over points. */
export function paintLabels(surface: Surface, ink: Ink, labels: readonly PointLabel[]): void {
  surface.font = LABEL_FONT;
  surface.textAlign = "left";
  surface.textBaseline = "middle";
  surface.lineJoin = "round";
  surface.lineWidth = 3;
  surface.strokeStyle = ink("var(--paper)");
  surface.fillStyle = ink("var(--ink)");
  for (const { text, x, y } of labels) {
    surface.strokeText(text, x, y);
    surface.fillText(text, x, y);
  }
}
