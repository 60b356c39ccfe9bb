// SPDX-License-Identifier: Apache-2.0
import { softEnvelope } from "../core/band";
import { partTitle, type ChartPlan } from "../core/chartPlan";
import { curveOf, type Curve, type Scaling } from "../core/curve";
import type { Series } from "../core/series";
import { boundText } from "../core/threshold";
import { colours, slotColour } from "./colours.svelte";
import { notebook } from "./notebook.svelte";
import { view } from "./view.svelte";

/** Parts of a chart are told apart by their dashes, since the colour says the run. */
const DASHES: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [9, 3, 2, 3], [12, 4]];
const DASH_SIGNS = ["──", "╌╌", "┈┈", "─·", "━ "];
/** What stands for the logarithm of places that have none. */
const MIN_LOG = -300;
/** A band reaches over the raw values of so many pixels on each side. */
const BAND_PIXELS = 4;

/** Lines across the chart of a tag, for the limits that its thresholds name. */
export function thresholdGuides(tag: string): { value: number; label: string }[] {
  const mine = [...notebook.thresholds.values()].filter((threshold) => threshold.tag === tag && threshold.enabled);
  return mine.flatMap(({ bounds }) => bounds.map((bound) => ({ value: bound.limit, label: boundText(bound) })));
}

export function lineKey({ run, tag }: { run: string; tag: string }): string {
  return JSON.stringify([run, tag]);
}

/** How the axes of a chart are scaled; time on the wall has no logarithm worth drawing. */
export function scalingOf(tag: string): Scaling {
  const { isLogX, xTag, ignoresOutliers } = view.scalars;
  return { isLog: view.isLogTag(tag), isLogX: isLogX && (view.axis !== "wall" || xTag !== null), ignoresOutliers };
}

/** How far a person moved a run along the axis. */
export function offsetOfRun(run: string): number {
  const { offsets } = view.scalars;
  return Object.hasOwn(offsets, run) ? offsets[run]! : 0;
}

/** How far a run is moved along the axis, in all. */
export function offsetOf(run: string, firstStep: number): number {
  const start = view.scalars.alignsStarts && view.axis === "step" && view.scalars.xTag === null ? -firstStep : 0;
  return start + offsetOfRun(run);
}

/** The line of a series in a chart: its colour, dash, axis and band. */
export function lookOfLine(series: Series, plan: ChartPlan, offset: number, width: number): Curve {
  const isComposed = plan.parts.length > 1;
  const scale = isComposed ? Math.max(0, plan.parts.findIndex(({ name }) => name === series.tag)) : 0;
  const isAlone = isOneRun(plan);
  const colour = isComposed && isAlone ? slotColour(scale) : colours.of(series.run);
  const curve = curveOf(series, view.axis, colour, offset);
  const look = isComposed
    ? { key: lineKey(series), part: partTitle(series.tag), scale, dash: isAlone ? [] : DASHES[scale % DASHES.length]! }
    : {};
  const isBanded = view.scalars.showsBand && curve.smoothed !== null && curve.isAscending && width > 0;
  return { ...curve, ...look, band: isBanded ? bandOf(curve, width) : null };
}

function bandOf({ x, raw }: Curve, width: number): Curve["band"] {
  const places = view.scalars.isLogX ? x.map((place) => Math.log10(Math.max(place, Number.MIN_VALUE))) : x;
  const first = places.find((place) => !view.scalars.isLogX || place > MIN_LOG) ?? 0;
  const reach = x.length < 2 ? 0 : ((places[places.length - 1]! - first) / width) * BAND_PIXELS;
  return softEnvelope(places, raw, reach);
}

/** Each vertical axis: the part, with the dashes of its lines where the colours say the runs, else with a colour of its own. */
export function axesOf(plan: ChartPlan): { title: string; colour: string | null }[] {
  const isComposed = plan.parts.length > 1;
  const isAlone = isOneRun(plan);
  return plan.parts.map(({ name }, index) => ({
    title: !isComposed || isAlone ? partTitle(name) : `${partTitle(name)}  ${DASH_SIGNS[index % DASH_SIGNS.length]}`,
    colour: isComposed && isAlone ? slotColour(index) : null,
  }));
}

function isOneRun({ parts }: ChartPlan): boolean {
  return new Set(parts.flatMap(({ runs }) => runs)).size === 1;
}
