// SPDX-License-Identifier: Apache-2.0
import { formatValue } from "../../core/text/format";
import { BAND_SHARES, type HistogramLayout } from "../../core/series/histogramLayout";
import { TICK_FONT, xLabels } from "../frame/axes";
import { LINE_FROM, LINE_TO, type Look } from "./paintHistograms";
import type { Surface } from "../frame/surface";

/** Height of the strip above the chart that the legend has for itself. */
export const LEGEND_HEIGHT = 18;

const BAR = { width: 72, height: 6, pieces: 36 };
const GAP = 6;
const MIDDLE = 8;

/** What the colors say, at the right edge above the chart. */
export function paintLegend(surface: Surface, view: HistogramLayout, look: Look): void {
  surface.font = TICK_FONT;
  surface.textBaseline = "middle";
  surface.textAlign = "left";
  const right = view.area.left + view.area.width;
  if (view.shape === "bands") paintBandLegend(surface, look, right);
  else if (view.shape === "heat")
    paintBar(surface, look, right, { from: 0, to: 1 }, ["0", `${formatValue(view.countAtShade(1), 3)} ${look.unit}`]);
  else paintBar(surface, look, right, { from: LINE_FROM, to: LINE_TO }, stepLabels(view, look));
}

function stepLabels(view: HistogramLayout, { axis }: Look): [string, string] {
  const ends = [view.starts[0]!, view.ends[view.ends.length - 1]!];
  const [first, last] = xLabels({ axis, isLog: false }, ends);
  return axis === "step" ? [formatValue(ends[0]), formatValue(ends[1])] : [first!, last!];
}

function paintBar(surface: Surface, look: Look, right: number, map: { from: number; to: number }, [low, high]: [string, string]): void {
  const left = Math.round(right - surface.measureText(high).width - GAP - BAR.width);
  for (let piece = 0; piece < BAR.pieces; piece++) {
    const share = piece / (BAR.pieces - 1);
    surface.fillStyle = look.shade(map.from + share * (map.to - map.from));
    surface.fillRect(left + (piece * BAR.width) / BAR.pieces, MIDDLE - BAR.height / 2, BAR.width / BAR.pieces, BAR.height);
  }
  surface.fillStyle = look.ink("var(--ink-soft)");
  surface.fillText(low, left - GAP - surface.measureText(low).width, MIDDLE);
  surface.fillText(high, left + BAR.width + GAP, MIDDLE);
}

/** How much of the values each band holds, and the line of the median. */
function paintBandLegend(surface: Surface, look: Look, right: number): void {
  const alphas = [0.14, 0.33, 0.55, 0.75];
  const shares = alphas.map((_, band) => `${Math.round((BAND_SHARES[BAND_SHARES.length - 1 - band]! - BAND_SHARES[band]!) * 100)} %`);
  let x = right;
  alphas.forEach((alpha, band) => {
    const text = shares[band]!;
    x -= surface.measureText(text).width;
    surface.fillStyle = look.ink("var(--ink-soft)");
    surface.fillText(text, x, MIDDLE);
    x -= 14;
    surface.fillStyle = look.tint(alpha);
    surface.fillRect(x, MIDDLE - 4, 10, 8);
    x -= 10;
  });
}
