// SPDX-License-Identifier: Apache-2.0
import { NO_LIMITS } from "../../core/series/curve";
import { PR_RANGES } from "../../charts/curves/prFrame";
import { curveDrawing } from "../../charts/export/curveDrawing";
import type { Drawing, DrawnLine } from "../../core/layout/vectorDrawing";
import { formatSetting, formatValue, groupDigits } from "../../core/text/format";
import { averagePrecision, bestBalance, definedPoints, prLine, prPoint } from "../../core/series/prCurve";
import type { RunPr } from "../../core/tables/prTable";
import { t } from "../../i18n/i18n.svelte";
import type { CardContent, CurvesPart, PlannedCard, TablePart, ViewPlan } from "../../export/html/model";
import { colors } from "../../state/view/runColors.svelte";
import { prCurveSource, type PrStep } from "../../state/data/prCurves";
import { prCurveSteps } from "../../state/view/cardSteps.svelte";
import { ReasonError } from "../../state/requests/problem";
import { readOnce } from "../../state/requests/resourceCache";
import type { TagRuns } from "../../state/data/tags.svelte";
import { drawingSize, type Size } from "../../export/curvesPart";
import { stepSettings } from "../../export/stepCards";
import { holdersOf, sectionsOf } from "../../export/selectedRuns";
import { oneItemATag } from "../../state/data/seriesItem";

const SCALING = { isLog: false, isLogX: false, ignoresOutliers: false, limits: NO_LIMITS };

/** Precision over recall of each tag, and what it is worth in numbers. */
export function prCurvesExport(full: TagRuns | undefined, matching: readonly TagRuns[]): ViewPlan {
  const tags = full ? [full] : matching;
  const size = drawingSize(tags.length);
  const sections = sectionsOf(tags, (some) => some.map((tag) => cardOf(tag, full ? `full ${tag.tag}` : oneItemATag([tag])[0]!.key, size)));
  return { page: "pr-curves", title: t("nav.prcurves"), runs: holdersOf(tags), settings: stepSettings(), sections };
}

function cardOf(tag: TagRuns, card: string, size: Size): PlannedCard {
  const step = prCurveSteps.of(card) ?? "newest";
  return { title: tag.tag, run: null, make: (signal) => readCard(tag, step, size, signal) };
}

async function readCard({ tag, runs }: TagRuns, step: PrStep, size: Size, signal: AbortSignal): Promise<CardContent> {
  const read = await Promise.all(runs.map(async (run) => ({ run, series: await readOnce(prCurveSource, { run, tag, step }, signal) })));
  const drawable = read.filter(({ series }) => series.threshold.length > 0);
  const shown = drawable.map(({ run, series }): RunPr => ({ run, step: series.step[0] ?? 0, curve: series }));
  const problem = read.find(({ series }) => series.problem !== null)?.series.problem;
  if (shown.length === 0 && problem) throw new ReasonError(problem);
  const last = Math.max(...shown.map(({ step }) => step));
  return { facts: [], parts: [chartOf(tag, shown, size), tableOf(shown)], pin: shown.length > 0 ? { step: last } : undefined };
}

function chartOf(tag: string, shown: readonly RunPr[], size: Size): CurvesPart {
  const curves = shown.map(({ run, curve }) => prLine(run, { color: colors.of(run), dash: colors.dashOf(run) }, curve));
  const [across, up] = [t("prcurves.recall"), t("prcurves.precision")];
  const draw = (size: Size): Drawing =>
    curveDrawing({
      curves,
      axis: "value",
      axisName: across,
      isTitled: true,
      scaling: SCALING,
      yAxes: [{ title: up, color: null }],
      ranges: PR_RANGES,
      size,
      by: "point",
    });
  const drawing = draw(squareSize(draw(size)));
  return { kind: "curves", label: t("prcurves.chart", { tag, n: shown.length }), drawing, lines: shown.map(lineOf) };
}

/** The size at which the plotting area of a drawing is a square as high as before. */
function squareSize({ width, height, plot }: Drawing): Size {
  return { width: width - (plot!.right - plot!.left) + (plot!.bottom - plot!.top), height };
}

function lineOf(one: RunPr): DrawnLine {
  return { name: one.run, part: "", color: colors.of(one.run), scale: 0, ...points(one) };
}

function points({ curve }: Pick<RunPr, "curve">): { x: Float64Array; value: Float32Array } {
  const defined = definedPoints(curve).map((index) => prPoint(curve, index)!);
  return { x: Float64Array.from(defined, ({ recall }) => recall), value: Float32Array.from(defined, ({ precision }) => precision) };
}

function tableOf(shown: readonly RunPr[]): TablePart {
  const number = (value: number | null | undefined): { text: string; value: number | null } => ({
    text: formatValue(value),
    value: value ?? null,
  });
  const rows = shown.map(({ run, step, curve }) => {
    const best = bestBalance(curve);
    const threshold = { text: best ? formatSetting(best.threshold) : "–", value: best?.threshold ?? null };
    const cells = [
      { text: run, value: run },
      { text: groupDigits(step), value: step },
      number(averagePrecision(curve)),
      number(best?.score),
      threshold,
      number(best?.precision),
      number(best?.recall),
    ];
    return { color: colors.of(run), cells };
  });
  const titles = [
    t("tip.step"),
    t("prcurves.average_short"),
    t("prcurves.best"),
    t("prcurves.threshold"),
    t("prcurves.precision"),
    t("prcurves.recall"),
  ];
  return {
    kind: "table",
    label: t("prcurves.best"),
    columns: [{ title: t("tip.run"), isNumber: false }, ...titles.map((title) => ({ title, isNumber: true }))],
    rows,
  };
}
