// SPDX-License-Identifier: Apache-2.0
import { fittedEnd } from "../../core/lineage/axisLayout";
import type { ColumnGroup } from "../../core/lineage/column";
import { formatSetting, formatValue } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import type { Range } from "../../core/scales/axis";
import { linearTicks } from "../../core/scales/ticks";
import { TICK_FONT } from "../frame/axes";
import { GROUP_COLORS } from "../frame/groupColors";
import type { Size } from "../frame/plotFrame";
import { crisp, segment, type Ink, type Surface } from "../frame/surface";
import type { MarkLines } from "./markFocus";

/** A parameter with one measure of its importance; null where the measure can't be computed. */
export interface ImportanceBar {
  id: string;
  name: string;
  group: ColumnGroup;
  estimate: { value: number; low: number; high: number } | null;
}

interface Painting {
  surface: Surface;
  size: Size;
  ratio: number;
  ink: Ink;
}

const ROW = 22;
const TOP = 22;
const BAR = 10;
const VALUE = 52;
const NAME_SHARE = 0.34;
const MOST_NAME = 220;
const CAP = 3;
const WORDS_GAP = 8;
const TICK_SPACE = 36;

/** Whether the interval of an estimate contains 0: the parameter may not matter. */
export function isNearZero({ low, high }: NonNullable<ImportanceBar["estimate"]>): boolean {
  return low <= 0 && high >= 0;
}

export function importanceHeight(count: number): number {
  return TOP + count * ROW + 8;
}

/** The row at a height; -1 above the rows. */
export function importanceRow(y: number): number {
  return Math.floor((y - TOP) / ROW);
}

/** The ends of the bars, one below the other. */
export function importanceMarks(bars: readonly ImportanceBar[], isSigned: boolean, size: Size): MarkLines {
  const x = placesOf(size, rangeOf(bars, isSigned));
  return bars.map(({ estimate }, row) => [{ x: x(estimate?.value ?? 0), y: TOP + (row + 0.5) * ROW }]);
}

function leftOf(size: Size): number {
  return Math.min(MOST_NAME, size.width * NAME_SHARE);
}

/** What the axis covers: all shares, and intervals below 0, but no lower than -1. */
function rangeOf(bars: readonly ImportanceBar[], isSigned: boolean): Range {
  return [isSigned ? -1 : Math.max(-1, Math.min(0, ...bars.map(({ estimate }) => estimate?.low ?? 0))), 1];
}

/** The place of a value; values beyond the axis are at its end, and never over the names. */
function placesOf(size: Size, [low, high]: Range): (value: number) => number {
  const left = leftOf(size);
  const width = Math.max(1, size.width - left - VALUE);
  return (value) => left + ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * width;
}

export function paintImportance(painting: Painting, bars: readonly ImportanceBar[], isSigned: boolean): void {
  const { surface, size } = painting;
  const left = leftOf(size);
  const range = rangeOf(bars, isSigned);
  const x = placesOf(size, range);
  surface.save();
  surface.font = TICK_FONT;
  surface.lineWidth = 1;
  paintGrid(painting, x, linearTicks(range, Math.min(5, Math.floor((size.width - left - VALUE) / TICK_SPACE))), bars.length);
  bars.forEach((bar, row) => paintBar(painting, bar, TOP + (row + 0.5) * ROW, left, x));
  surface.restore();
}

function paintGrid({ surface, ratio, ink }: Painting, x: (value: number) => number, ticks: readonly number[], count: number): void {
  surface.textAlign = "center";
  surface.textBaseline = "middle";
  for (const tick of ticks) {
    surface.beginPath();
    segment(surface, crisp(x(tick), ratio), TOP - 4, crisp(x(tick), ratio), TOP + count * ROW);
    surface.strokeStyle = ink(tick === 0 ? "var(--outline)" : "var(--grid-line)");
    surface.stroke();
    surface.fillStyle = ink("var(--ink-soft)");
    surface.fillText(formatSetting(tick), x(tick), 8);
  }
}

function paintBar(
  { surface, size, ink }: Painting,
  { name, group, estimate }: ImportanceBar,
  y: number,
  left: number,
  x: (value: number) => number,
): void {
  surface.fillStyle = ink(GROUP_COLORS[group]);
  surface.beginPath();
  surface.arc(7, y, 3, 0, 2 * Math.PI);
  surface.fill();
  surface.textBaseline = "middle";
  surface.textAlign = "left";
  surface.fillStyle = ink("var(--ink)");
  const measure = (text: string): number => surface.measureText(text).width;
  surface.fillText(fittedEnd(name, left - 28, measure), 16, y);
  surface.textAlign = "right";
  surface.fillStyle = ink(estimate ? "var(--ink)" : "var(--ink-soft)");
  surface.fillText(formatValue(estimate?.value, 2), size.width - 6, y);
  if (!estimate) return;
  const [from, to] = [Math.min(x(0), x(estimate.value)), Math.max(x(0), x(estimate.value))];
  const isDoubtful = isNearZero(estimate);
  surface.globalAlpha = isDoubtful ? 0.28 : 0.72;
  surface.fillStyle = ink(estimate.value < 0 ? "var(--series-1)" : "var(--accent)");
  surface.fillRect(from, y - BAR / 2, Math.max(1, to - from), BAR);
  surface.globalAlpha = 1;
  surface.strokeStyle = ink("var(--ink)");
  surface.beginPath();
  segment(surface, x(estimate.low), y, x(estimate.high), y);
  for (const end of [estimate.low, estimate.high]) segment(surface, x(end), y - CAP, x(end), y + CAP);
  surface.stroke();
  if (isDoubtful) paintDoubt({ surface, size, ink }, y, left, [x(Math.min(0, estimate.low)), x(Math.max(0, estimate.high))]);
}

/** Says beside the whiskers, where there is room, that the interval contains 0. */
function paintDoubt(
  { surface, size, ink }: Pick<Painting, "surface" | "size" | "ink">,
  y: number,
  left: number,
  [from, to]: readonly [number, number],
): void {
  const words = t("importance.near_zero");
  const { width } = surface.measureText(words);
  const isRight = to + WORDS_GAP + width < size.width - VALUE;
  if (!isRight && from - WORDS_GAP - width < left) return;
  surface.fillStyle = ink("var(--ink-soft)");
  surface.textAlign = isRight ? "left" : "right";
  surface.fillText(words, isRight ? to + WORDS_GAP : from - WORDS_GAP, y);
}
