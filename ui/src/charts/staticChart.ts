// SPDX-License-Identifier: Apache-2.0
import { drawableValues, type Projection } from "../core/curvePath";
import { wholeRanges, type Curve, type Scaling } from "../core/curve";
import { svgChart } from "../core/svgChart";
import { xLabels, xTicks, yLabels, yTicks, type PlaceAxis } from "./axes";
import type { Inks } from "./inks";
import type { Guide } from "./marksPaint";
import { along } from "./plotFrame";

const SIZE = { width: 640, height: 300 };
const PLOT = { left: 56, top: 8, right: 624, bottom: 274 };

interface StaticChart {
  title: string;
  curves: readonly Curve[];
  axis: PlaceAxis;
  scaling: Scaling;
  guides: readonly Guide[];
}

/** A drawing of curves that no plot on the screen shows; further vertical axes are left out of the picture's edge. */
export function staticChart({ title, curves, axis, scaling, guides }: StaticChart, inks: Inks): string {
  const ranges = wholeRanges(curves, scaling, guides.map(({ value }) => value));
  const across = { axis, isLog: scaling.isLogX };
  const { place: x } = along(ranges.x, PLOT.left, PLOT.right, scaling.isLogX);
  const projections: Projection[] = ranges.ys.map((range) => ({ x, y: along(range, PLOT.bottom, PLOT.top, scaling.isLog).place }));
  const ticks = xTicks(across, ranges.x, PLOT.right - PLOT.left);
  const places = (values: Float32Array, curve: Curve): Float32Array => drawableValues(values, scaling.isLog, scaling.isLogX ? curve.x : null);
  return svgChart({
    ...SIZE,
    title,
    plot: PLOT,
    projections,
    xTicks: xLabels(across, ticks).map((label, index) => ({ at: x(ticks[index]!), label })),
    uprights: ranges.ys.slice(0, 2).map((range, index) => {
      const up = yTicks(scaling.isLog, range, PLOT.bottom - PLOT.top);
      return { title: "", ticks: yLabels(scaling.isLog, up).map((label, tick) => ({ at: projections[index]!.y(up[tick]!), label })) };
    }),
    guides: guides.map(({ value, label }) => ({ at: projections[0]!.y(value), label })),
    curves: curves.map((curve) => ({
      label: curve.part === "" ? curve.label : `${curve.label} · ${curve.part}`,
      colour: inks.hex(curve.colour),
      dash: curve.dash,
      scale: curve.scale,
      x: curve.x,
      raw: places(curve.raw, curve),
      smoothed: curve.smoothed && places(curve.smoothed, curve),
      band: curve.band && { low: places(curve.band.low, curve), high: places(curve.band.high, curve) },
    })),
    ink: { text: inks.hex("var(--ink)"), grid: inks.hex("var(--grid-line)"), paper: inks.hex("var(--paper)"), guide: inks.hex("var(--warn)") },
  });
}
