// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../core/profiles/timeText";
import { formatBytes } from "../../core/text/format";
import { advice } from "../../i18n/en/advice";
import { profileDiff } from "../../i18n/en/profileDiff";
import { profileParts } from "../../i18n/en/profileParts";
import { profileRanks } from "../../i18n/en/profileRanks";
import { profileRows } from "../../i18n/en/profileRows";
import { addEnglish, hasWords, t } from "../../i18n/i18n.svelte";
import type { ProfileAdvice, ProfileMissing } from "../../state/data/profiles";

for (const texts of [advice, profileParts, profileRanks, profileRows, profileDiff]) addEnglish(texts);

/** Parts of a step in their order, and their colors. */
export const STEP_PARTS = [
  { part: "compute", color: "var(--series-0)" },
  { part: "communication", color: "var(--series-3)" },
  { part: "copy", color: "var(--series-6)" },
  { part: "data_waiting", color: "var(--series-1)" },
  { part: "host", color: "var(--series-2)" },
  { part: "idle", color: "var(--outline)" },
] as const;

export type StepPart = (typeof STEP_PARTS)[number]["part"];

/** The sign of percent stays on the line of its number. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value === 0 || value >= 99.95) return `${value.toFixed(0)}\u00a0%`;
  return `${value >= 0.95 ? value.toFixed(1) : value.toPrecision(1)}\u00a0%`;
}

/** Floating-point operations per second, with three digits. */
export function flopsText(rate: number): string {
  const [size, unit] = rate >= 1e12 ? [1e12, "TFLOPS"] : [1e9, "GFLOPS"];
  return `${Number((rate / size).toPrecision(3))} ${unit}`;
}

/** Figures of advice by what they measure. A threshold has the unit of what it limits. */
const SHARES = new Set(["share", "excess", "host_wait", "below"]);
const TIMES = new Set(["time", "mean", "cause_time", "cause_mean", "lateness"]);
const SIZES = new Set(["peak", "growth"]);
const THRESHOLDS: Readonly<Record<string, "time" | "size" | "count">> = {
  slow_ai_cpu: "time",
  garbage_collection: "time",
  memory_calls: "time",
  retransmission: "time",
  synchronized_norms: "count",
  step_interval: "time",
  leak: "size",
};

/** Of advice on ranks, whose names mean something else in other advice. */
const UNITS: Readonly<Record<string, Readonly<Record<string, (value: number) => string>>>> = {
  slow_link: { mean: gigabytesPerSecond, bandwidth: gigabytesPerSecond },
  rank_flops: { rate: flopsText, mean: flopsText },
  stage_rank_flops: { rate: flopsText, mean: flopsText },
  straggler: { waiting: formatNs },
  ranks_communication: { waiting: percent },
};

function gigabytesPerSecond(value: number): string {
  return `${value.toPrecision(3)} GB/s`;
}

function valueText(code: string, name: string, value: string | number): string {
  if (name === "cause") return wordOf("part", String(value)).toLowerCase();
  if (typeof value === "string") return value;
  const own = UNITS[code]?.[name];
  if (own) return own(value);
  const unit = name === "threshold" ? (THRESHOLDS[code] ?? "share") : null;
  if (unit === "time" || TIMES.has(name)) return formatNs(value);
  if (unit === "size" || SIZES.has(name)) return formatBytes(value);
  return unit === "share" || SHARES.has(name) ? percent(value) : String(value);
}

type AdviceWords = Pick<ProfileAdvice, "code" | "values"> & Partial<ProfileAdvice>;

/** What advice says in the current language; its own English where the catalog lacks its code. */
export function adviceText({ code, values, finding = "", remedy = "" }: AdviceWords): { finding: string; remedy: string } {
  const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(code, name, value)]));
  const [found, todo] = [`advice.${code}`, `advice.${code}_remedy`];
  return { finding: hasWords(found) ? t(found, texts) : finding, remedy: hasWords(todo) ? t(todo, texts) : remedy };
}

/** Why a part is missing. */
export function missingText({ code, values, reason }: ProfileMissing): string {
  const key = `missing.${code}`;
  return hasWords(key) ? t(key, { ...values }) : reason;
}

/** A row that advice rests on, as a link calls it. */
export function placeName({ kind, name, of, row, begin_ns, duration_ns }: ProfileAdvice["rows"][number]): string {
  switch (kind) {
    case "step":
    case "batch":
      return `#${name}`;
    case "stream":
      return `${of} ${name}`;
    case "moment":
      return `${of} ${formatNs(begin_ns ?? 0)}`;
    case "block":
      return name || t("profile.place_block", { n: row });
    case "span":
      return `${formatNs(begin_ns ?? 0)} + ${formatNs(duration_ns ?? 0)}`;
    case "rank":
      return t("ranks.of_rank", { rank: name });
    case "stage":
      return t("ranks.stage", { stage: name });
    case "link":
      return `${of} ${name}`;
    default:
      return name;
  }
}

/** Missing parts; those that are missing for one reason, and that nothing records, together. */
export function missingGroups(missing: readonly ProfileMissing[]): { parts: readonly string[]; text: string; remedy: string }[] {
  const groups = new Map<string, { parts: string[]; text: string; remedy: string }>();
  for (const each of missing) {
    const [text, { remedy }] = [missingText(each), each];
    const key = remedy === "" ? text : `${text}\n${remedy}`;
    const group = groups.get(key) ?? { parts: [], text, remedy };
    group.parts.push(partName(each.part));
    groups.set(key, group);
  }
  return [...groups.values()];
}

export function partName(part: string): string {
  const key = `profile.${part}_name`;
  return hasWords(key) ? t(key) : part;
}

/** A part of a step, a kind of kernels or a column that groups rows in the current language; the server's word without one. */
export function wordOf(of: "part" | "kind" | "by", word: string): string {
  const key = `profile.${of}_${word}`;
  return hasWords(key) ? t(key) : word;
}
