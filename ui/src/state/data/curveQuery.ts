// SPDX-License-Identifier: Apache-2.0
import { fetchExpressions } from "../../api/expressions";
import { fetchCurves } from "../../api/routes";
import type { Axis, Range } from "../../core/scales/axis";
import { isFormula } from "../../core/view/chartPlan";
import { partExpression, tagExpression } from "../../core/view/formula";
import { completed, type Series } from "../../core/series/series";
import { isWeightOnly, type Smoothing } from "../../core/view/smoothing";
import { runs } from "./runs.svelte";

/** A line that a chart wants; `offset` is how far it is moved along the axis. */
export interface WantedLine {
  run: string;
  tag: string;
  offset: number;
}

export interface Want {
  lines: readonly WantedLine[];
  axis: Axis;
  /** Where the chart looks, with the lines moved. */
  range: Range | null;
  pixels: number;
  isLogX: boolean;
  smoothing: Smoothing;
  /** Tag whose values are the x-axis; null for the axis itself. */
  xTag: string | null;
  /** Run that all others are compared with: differences are drawn. */
  baseline: string | null;
  /** Also hidden points; only without an expression. */
  showsHidden: boolean;
}

/** What all lines of one request have in common. */
export interface CurveSettings extends Omit<Want, "lines" | "isLogX"> {
  /** Where the logarithm of x begins, for lines that are moved along the axis; null where the axis is linear. */
  logOrigin: number | null;
  /** Requires an expression request: a formula, another x, a baseline, or smoothing that plain curves lack. */
  isDerived: boolean;
}

/** A line to be read; `known` is what is known of it, so that only newer rows are sent. */
export interface AskedLine {
  run: string;
  tag: string;
  known: Series | undefined;
}

/** Lines in one request. */
export const CHUNK = 60;
const PIXEL_BUCKET = 128;
/** Pixels that an answer may be reduced to. */
export const MOST_PIXELS = 8192;

/** Settings by the offset of the lines and whether they are formulas: hundreds of lines share a few. */
export function settingsOf(want: Want): (line: WantedLine) => { settings: CurveSettings; text: string } {
  const known = new Map<string, { settings: CurveSettings; text: string }>();
  return ({ tag, offset }) => {
    const name = `${offset} ${isFormula(tag)}`;
    const settings = known.get(name)?.settings ?? moved(want, tag, offset);
    const entry = known.get(name) ?? { settings, text: JSON.stringify(settings) };
    known.set(name, entry);
    return entry;
  };
}

function moved(want: Want, tag: string, offset: number): CurveSettings {
  const { axis, smoothing, xTag, baseline, showsHidden } = want;
  const pixels = Math.min(MOST_PIXELS, Math.max(PIXEL_BUCKET, Math.ceil(want.pixels / PIXEL_BUCKET) * PIXEL_BUCKET));
  const range = want.range && ([want.range[0] - offset, want.range[1] - offset] as const);
  const isDerived = isFormula(tag) || xTag !== null || baseline !== null || !isWeightOnly(smoothing);
  return { axis, range, pixels, logOrigin: want.isLogX ? 0 - offset : null, smoothing, xTag, baseline, showsHidden, isDerived };
}

/** Rows of the lines, each completed by what is known of it. Raises what the request raises. */
export async function readChunk(lines: readonly AskedLine[], settings: CurveSettings, signal: AbortSignal): Promise<Series[]> {
  const answers = await (settings.isDerived ? askDerived(lines, settings, signal) : askPlain(lines, settings, signal));
  return answers.map((answer, index) => named(completed(answer, lines[index]!.known), lines[index]!));
}

/** Lines that no chart shows, read at once. Raises what the requests raise. */
export async function readLines(want: Want, signal: AbortSignal): Promise<Series[]> {
  const settled = settingsOf(want);
  const left = want.lines.map((line) => ({ run: line.run, tag: line.tag, known: undefined, ...settled(line) }));
  const read: Series[] = [];
  while (left.length > 0) {
    const { settings, text } = left[0]!;
    const other = left.findIndex((line) => line.text !== text);
    const chunk = left.splice(0, other < 0 ? CHUNK : Math.min(CHUNK, other));
    read.push(...(await readChunk(chunk, settings, signal)));
  }
  return read;
}

function askPlain(lines: readonly AskedLine[], settings: CurveSettings, signal: AbortSignal): Promise<Series[]> {
  const { axis, range, pixels, smoothing, logOrigin, showsHidden } = settings;
  const series = lines.map(({ run, tag, known }) => ({ run, tag, since: known?.cursor ?? null }));
  return fetchCurves({ series, axis, range, pixels, log_origin: logOrigin, smoothing: smoothing.weight, overwritten: showsHidden }, signal);
}

function askDerived(asked: readonly AskedLine[], settings: CurveSettings, signal: AbortSignal): Promise<Series[]> {
  const { axis, range, pixels, smoothing, logOrigin, xTag, baseline } = settings;
  const lines = asked.map(({ run, tag, known }) => ({ run, y: partExpression(tag), since: known?.cursor ?? null }));
  const x = xTag === null ? null : tagExpression(xTag);
  return fetchExpressions({ lines, axis, x, range, pixels, log_origin: logOrigin, smoothing, baseline }, signal);
}

/** An answer in the words of the question: lines of expressions are known by what they were asked as. */
function named(answer: Series, { run, tag }: AskedLine): Series {
  return { ...answer, tag, start_wall_time: answer.start_wall_time ?? runs.byId.get(run)?.first_wall_time ?? null };
}
