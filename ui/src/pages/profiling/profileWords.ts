// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../core/profiles/timeText";
import { formatBytes } from "../../core/text/format";
import { advice } from "../../i18n/en/advice";
import { profileDiff } from "../../i18n/en/profileDiff";
import { profileParts } from "../../i18n/en/profileParts";
import { profileRanks } from "../../i18n/en/profileRanks";
import { profileRows } from "../../i18n/en/profileRows";
import { addEnglish, hasWords, textOr, t } from "../../i18n/i18n.svelte";
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

function bandwidthText(rate: number): string {
  return `${rate.toPrecision(3)} GB/s`;
}

/** Units that texts of advice name, as in `{time:time}`. */
const UNITS = { share: percent, time: formatNs, size: formatBytes, flops: flopsText, bandwidth: bandwidthText };

type AdviceWords = Pick<ProfileAdvice, "code" | "values"> & Partial<ProfileAdvice>;

/** What advice says in the current language; its own English where the catalog lacks its code. */
export function adviceText({ code, values, finding = "", remedy = "" }: AdviceWords): { finding: string; remedy: string } {
  const { cause } = values;
  const said = cause === undefined ? { ...values } : { ...values, cause: wordOf("part", String(cause)).toLowerCase() };
  const [found, todo] = [`advice.${code}`, `advice.${code}_remedy`];
  return { finding: hasWords(found) ? t(found, said, UNITS) : finding, remedy: hasWords(todo) ? t(todo, said, UNITS) : remedy };
}

/** Why a part is missing. */
export function missingText({ code, values, reason }: ProfileMissing): string {
  return textOr(`missing.${code}`, reason, { ...values });
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
  return textOr(`profile.${part}_name`, part);
}

/** A part of a step, a kind of kernels or a column that groups rows in the current language; the server's word without one. */
export function wordOf(of: "part" | "kind" | "by", word: string): string {
  return textOr(`profile.${of}_${word}`, word);
}
