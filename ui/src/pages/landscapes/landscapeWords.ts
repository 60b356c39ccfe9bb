// SPDX-License-Identifier: Apache-2.0
import { haveCommonPlane } from "../../core/landscapes/commonPlane";
import { isFalling, type Flatness } from "../../core/landscapes/flatness";
import { isLine, isPartial, planeQuality, type Landscape } from "../../core/landscapes/landscape";
import { countPoints, type DrawnSurface } from "../../core/landscapes/surface";
import { formatSetting, formatValue, groupDigits } from "../../core/text/format";
import { formatDuration } from "../../core/text/time";
import { landscapes } from "../../i18n/en/landscapes";
import { addEnglish, currentLanguage, textOr, t } from "../../i18n/i18n.svelte";
import type { LandscapeRun } from "../../state/data/landscapes";
import { runs } from "../../state/data/runs.svelte";

addEnglish(landscapes);

/** A word for a value of the log; the value itself if there is no word. */
function wordOf(prefix: string, value: string): string {
  return textOr(`landscape.${prefix}_${value}`, value);
}

export function percent(share: number): string {
  const value = 100 * share;
  return value > 0 && value < 1 ? formatValue(value, 2) : String(Math.round(value));
}

export function unitWord(unit: string): string {
  return wordOf("unit", unit);
}

/** The steps or epochs of an interval, in words; "" without one. */
export function intervalText({ interval, unit }: { interval: readonly number[]; unit: string }): string {
  if (interval.length === 0) return "";
  const [first, last] = [Math.min(...interval), Math.max(...interval)];
  const word = unitWord(unit);
  return first === last ? t("landscape.interval_one", { unit: word, first }) : t("landscape.interval", { unit: word, first, last });
}

/** Names of both axes of the plane, with the share of the variance along them. */
export function axisNames({ facts, y }: Landscape): [string, string] {
  const named = (name: string, share: number | undefined): string =>
    share === undefined || y.length === 1 ? name : t("landscape.axis", { name, share: percent(share) });
  return [named(t("landscape.x"), facts?.explained_variance[0]), named(t("landscape.y"), facts?.explained_variance[1])];
}

/** How far a path on the plane may be believed, in sentences. */
export function qualityTexts(landscape: Landscape): string[] {
  const { explained, offPlane } = planeQuality(landscape);
  if (isLine(landscape)) return [];
  const degenerate = landscape.facts?.degenerate ?? "";
  return [
    ...(degenerate === "line" || degenerate === "point" ? [t(`landscape.degenerate_${degenerate}`)] : []),
    ...(explained === null ? [] : [t("landscape.explains", { share: percent(explained) })]),
    ...(offPlane === null
      ? landscape.path
        ? [t("landscape.off_plane_unknown")]
        : []
      : [t("landscape.off_plane", { share: percent(offPlane) })]),
  ];
}

/** Means that differ by less are about equal. */
const SAME = 1.1;

/** How flat the ends of the runs are, in sentences; `nameOf` a run is its name on the page. */
export function flatnessTexts({ radius, runs: some }: Flatness, nameOf: (run: string) => string): string[] {
  const share = percent(radius);
  const [flattest, sharpest] = [some[0]!, some.at(-1)!];
  const times = flattest.mean !== null && sharpest.mean !== null && flattest.mean > 0 ? sharpest.mean / flattest.mean : null;
  const falling = some.filter(isFalling);
  const falls =
    falling.length > 1
      ? [t("landscape.flat_falls_many", { n: falling.length })]
      : falling.map(({ run, lowest }) => t("landscape.flat_falls", { run: nameOf(run), fall: formatValue(-lowest!, 3) }));
  if (some.length === 1)
    return [t("landscape.flat_one", { share, mean: riseText(flattest.mean), highest: riseText(flattest.highest) }), ...falls];
  if (times !== null && times < SAME)
    return [t("landscape.flat_equal", { share, low: riseText(flattest.mean), high: riseText(sharpest.mean) }), ...falls];
  const last = { run: nameOf(sharpest.run), mean: riseText(sharpest.mean) };
  return [
    t("landscape.flat_many", { share, run: nameOf(flattest.run), mean: riseText(flattest.mean) }),
    times === null ? t("landscape.flat_sharpest", last) : t("landscape.flat_sharpest_times", { ...last, times: formatValue(times, 2) }),
    ...falls,
  ];
}

export function riseText(rise: number | null): string {
  return rise === null ? t("landscape.flat_infinite") : formatValue(rise, 3);
}

/** Sentences of one language, as a paragraph. */
export function paragraph(sentences: readonly string[]): string {
  return sentences.join(currentLanguage() === "zh" ? "" : " ");
}

/** That the lines of one picture have different directions, and what their coordinates mean then; none for one line. */
export function directionTexts(landscapes: readonly Landscape[]): string[] {
  const [first, ...others] = landscapes.filter((landscape) => isLine(landscape));
  if (!first || others.every((other) => haveCommonPlane(first, other))) return [];
  const areBetween = [first, ...others].every(({ facts }) => facts?.method === "line");
  return [t("landscape.other_lines"), ...(areBetween ? [t("landscape.line_ends")] : [])];
}

/** "Computing: 57 of 1600 points, 1:14 left", or why it does not go on; "" for a landscape that is complete. */
export function progressText({ run, facts }: Pick<Landscape, "run" | "facts">): string {
  if (!facts || !isPartial({ facts })) return "";
  const counts = { done: groupDigits(facts.points_done), total: groupDigits(facts.points_total) };
  if (facts.failure !== "") return t("landscape.failed", { ...counts, failure: facts.failure });
  if (runs.byId.get(run)?.state !== "live") return t("landscape.silent", counts);
  const done = t("landscape.computing", counts);
  return facts.seconds_left === null ? done : `${done} · ${t("landscape.left", { time: formatDuration(facts.seconds_left) })}`;
}

export interface Fact {
  name: string;
  value: string;
}

/** What the lineage says of the training. */
export function trainingFacts(run: LandscapeRun | undefined): Fact[] {
  if (!run) return [];
  const number = (value: number | null): string => (value === null ? "" : formatSetting(value));
  return filled([
    [t("landscape.network"), run.network ?? ""],
    [t("landscape.optimizer"), run.optimizer ?? ""],
    [t("landscape.learning_rate"), number(run.learning_rate)],
    [t("landscape.loss_function"), run.loss_function ?? ""],
    [t("landscape.batch_size"), number(run.batch_size)],
    [t("landscape.epochs"), number(run.epochs)],
  ]);
}

/** How a landscape was computed. */
export function computationFacts(landscape: Landscape, surface: DrawnSurface): Fact[] {
  const { facts, x, y, decomposition } = landscape;
  const counts = countPoints(surface);
  const shares = facts?.explained_variance ?? [];
  const method = facts?.method ? wordOf("method", facts.method) : decomposition;
  const resolution = isLine(landscape) ? String(x.length) : `${x.length} × ${y.length}`;
  return filled([
    [t("landscape.method"), method],
    [t("landscape.resolution"), resolution],
    [t("landscape.explained"), shares.map((share) => `${percent(share)} %`).join(" + ")],
    [t("landscape.samples"), facts && facts.num_samples > 0 ? groupDigits(facts.num_samples) : ""],
    [t("landscape.seed"), facts?.seed == null ? "" : String(facts.seed)],
    [t("landscape.normalization"), facts?.normalization ? wordOf("normalization", facts.normalization) : ""],
    [
      t("landscape.points"),
      t("landscape.points_of", {
        computed: groupDigits(counts.computed),
        total: groupDigits(x.length * y.length),
        interpolated: groupDigits(counts.interpolated),
      }),
    ],
    [t("landscape.evaluation"), facts?.evaluation ? wordOf("evaluation", facts.evaluation) : ""],
    [t("landscape.dtype"), dtypeText(facts)],
    [t("landscape.seconds"), facts && facts.seconds > 0 ? formatDuration(facts.seconds) : ""],
  ]);
}

function dtypeText(facts: Landscape["facts"]): string {
  if (!facts?.dtype) return "";
  if (!facts.dtype_error) return facts.dtype;
  return t("landscape.dtype_error", { dtype: facts.dtype, error: formatValue(facts.dtype_error, 2) });
}

function filled(facts: readonly (readonly [string, string])[]): Fact[] {
  return facts.filter(([, value]) => value !== "").map(([name, value]) => ({ name, value }));
}
