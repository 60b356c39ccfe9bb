// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import { wholeRanges, type Curve, type Ranges, type Scaling } from "../../core/series/curve";
import { complete, paintChart } from "../curves/paintChart";
import { labelRoom } from "../curves/paintEndLabels";
import type { Guide } from "../curves/paintMarks";
import type { PlaceAxis } from "../frame/axes";
import { labelWidth } from "../frame/labelWidth";
import { plotFrame, type PlotFrame, type Size } from "../frame/plotFrame";
import { SvgContext } from "../frame/svgContext";

interface DrawnCurves {
  curves: readonly Curve[];
  axis: PlaceAxis;
  /** Name of the x-axis if it is neither time nor steps; otherwise "". */
  axisName?: string;
  /** The names of the axes are shown beside them, even those of a single vertical axis. */
  isTitled?: boolean;
  scaling: Scaling;
  /** One for each vertical axis. */
  yAxes: readonly { title: string; color: string | null; isTitled?: boolean }[];
  guides?: readonly Guide[];
  /** Null shows all of the curves. */
  ranges?: Ranges | null;
  size: Size;
  by?: "x" | "point";
  /** Curves to compare with. */
  peers?: readonly Curve[];
}

/** A chart of curves as a drawing of a page. */
export function curveDrawing(chart: DrawnCurves): Drawing {
  const { curves, scaling, guides = [], peers = [], size } = chart;
  const { isLog, isLogX, ignoresOutliers } = scaling;
  const frame = frameOf(chart);
  const surface = new SvgContext();
  complete(
    paintChart({ surface, ratio: 1, frame, isLog, isLogX, marksFar: ignoresOutliers, ink: (color) => color }, { curves, guides, peers }),
  );
  return { ...size, body: surface.body(), plot: plotOf(chart, frame) };
}

function frameOf({ curves, axis, axisName = "", isTitled = false, scaling, yAxes, guides = [], ranges, size }: DrawnCurves): PlotFrame {
  const { isLog, isLogX } = scaling;
  const values = guides.map(({ value }) => value);
  return plotFrame(
    size,
    ranges ?? wholeRanges(curves, scaling, values),
    { axis, isLog: isLogX, title: isTitled ? axisName : "" },
    yAxes.map((yAxis) => ({ ...yAxis, isLog })),
    labelWidth,
    labelRoom(curves, size),
  );
}

function plotOf({ axis, axisName, scaling, yAxes, by = "x" }: DrawnCurves, { area, ranges }: PlotFrame): Drawing["plot"] {
  const { left, top, width, height } = area;
  return {
    left,
    top,
    right: left + width,
    bottom: top + height,
    by,
    x: { name: axisName || axis, range: ranges.x, isLog: scaling.isLogX },
    ys: ranges.ys.map((range, index) => ({ name: yAxes[index]?.title ?? "", range, isLog: scaling.isLog })),
  };
}
