// SPDX-License-Identifier: Apache-2.0
import { roomBelow, type AxisLayout } from "../../core/lineage/axisLayout";
import type { AxisScale } from "../../core/lineage/axisScale";
import type { Brushes } from "../../core/lineage/brushes";
import { spansOf } from "../../core/lineage/brushSpans";
import type { LineColors } from "../../core/lineage/lineColors";
import { lineLook } from "../frame/lineColor";
import type { Picture } from "../frame/picture";
import type { Size } from "../frame/plotFrame";
import { isCanvas, type Ink, type Surface } from "../frame/surface";
import { ThemeColors } from "../frame/themeColors";
import { gapLabel } from "./gapLabel";
import { paintAxis, paintHead, type AxisArea, type AxisPainting } from "./paintAxis";
import { lineOpacity } from "./stripImage";
import { StripPainter, STROKED } from "./stripPlot";
import { strokeLines } from "./strokeLines";

export interface Coordinates {
  size: Size;
  scales: readonly AxisScale[];
  layout: AxisLayout;
  area: AxisArea;
  heights: ReadonlyMap<AxisScale, Float32Array>;
  passing: Uint8Array<ArrayBuffer>;
  colors: LineColors;
  brushes: Brushes;
}

/** The chart with its heads, to be saved. Many lines are pixels in a PNG, and strokes in an SVG. */
export function coordinatesPicture(title: string, coordinates: Coordinates): Picture {
  return { title, size: coordinates.size, paint: (surface, ratio, ink) => paint(coordinates, surface, ratio, ink) };
}

function paint(coordinates: Coordinates, surface: Surface, ratio: number, ink: Ink): void {
  const { scales, layout, area, brushes } = coordinates;
  paintLines(coordinates, surface, ratio, ink);
  scales.forEach((scale, index) => {
    const spans = spansOf(brushes.get(scale.column.id) ?? [], scale);
    const painting: AxisPainting = {
      surface,
      ink,
      ratio,
      x: layout.xs[index]!,
      scale,
      spans,
      area,
      gapLabel: gapLabel(scale, roomBelow(layout, index)),
    };
    paintAxis(painting);
    paintHead(painting, layout.heads[index]!);
  });
}

function paintLines(coordinates: Coordinates, surface: Surface, ratio: number, ink: Ink): void {
  const { scales, layout, passing, colors, size } = coordinates;
  const probe = new ThemeColors(document.body);
  const look = lineLook(colors, probe);
  const heights = scales.map((scale) => coordinates.heights.get(scale)!);
  const count = passing.reduce((sum, each) => sum + each, 0);
  if (!isCanvas(surface) || passing.length <= STROKED) {
    strokeLines({ surface, ink, xs: layout.xs, heights, passing, colors, stops: look.stops }, lineOpacity(count));
  } else {
    heights.slice(1).forEach((to, index) => {
      const canvas = document.createElement("canvas");
      const painter = new StripPainter({ ...look, from: heights[index]!, to, width: layout.distance, height: size.height });
      painter.paint(canvas, passing, ratio);
      surface.drawImage(canvas, layout.xs[index]!, 0, layout.distance, size.height);
    });
  }
  probe.remove();
}
