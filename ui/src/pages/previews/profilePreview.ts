// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../core/profiles/timeText";
import { formatBytes } from "../../core/text/format";
import type { CardContent, TableRow } from "../../export/html/model";
import { t } from "../../i18n/i18n.svelte";
import { computedTables, profileList, profileTables, PROGRESS_MS, type ProfileEntry, type ProfileTables } from "../../state/data/profiles";
import { readOnce } from "../../state/requests/resourceCache";
import { adviceText, percent, STEP_PARTS, wordOf } from "../profiling/profileWords";
import type { SavedPreview } from "./kind";

const MOST_BYTES = 64 * 2 ** 20;
type Summary = ProfileTables["summary"];

/** The profile of a run that was written last. */
export function newestProfile(profiles: readonly ProfileEntry[], run: string): ProfileEntry | null {
  const ofRun = profiles.filter((profile) => profile.run === run).sort((one, other) => other.modified_at - one.modified_at);
  return ofRun[0] ?? null;
}

/** Whether a preview reads a profile; of a larger one it shows what is computed. */
export function isSmall({ size_bytes: size }: ProfileEntry): boolean {
  return size <= MOST_BYTES;
}

/** On what a step spends its time. */
export function shownParts({ shares }: Summary): { color: string; name: string; share: string; weight: number }[] {
  return STEP_PARTS.flatMap(({ part, color }) => {
    const weight = shares[part] ?? 0;
    return weight > 0 ? [{ color, name: wordOf("part", part), share: percent(weight), weight }] : [];
  });
}

/** The first advice in a sentence; "" without one. */
export function firstAdvice({ cards }: Summary): string {
  const advice = cards[0]?.advice[0];
  return advice ? adviceText(advice).finding : "";
}

/** The tables of a profile when they are computed; null of a large one whose tables are not. */
async function readTables(listed: ProfileEntry, signal: AbortSignal): Promise<ProfileTables | null> {
  const definition = isSmall(listed) ? profileTables : computedTables;
  const key = { run: listed.run, profile: listed.profile };
  let answer = await definition.read(key, signal, undefined);
  while (definition === profileTables && answer.tables === null && answer.problem === null) {
    await new Promise((resolve) => setTimeout(resolve, PROGRESS_MS));
    answer = await definition.read(key, signal, undefined);
  }
  return answer.tables;
}

export const saved: SavedPreview = async ({ run }, signal): Promise<CardContent> => {
  const newest = newestProfile((await readOnce(profileList, { runs: [run] }, signal)).profiles, run);
  if (!newest) return { facts: [], parts: [] };
  const tables = await readTables(newest, signal);
  const facts = [`${newest.format_title} · ${formatBytes(newest.size_bytes)}`];
  if (!tables) return { facts, parts: [] };
  const { summary } = tables;
  const rows = shownParts(summary).map(({ color, name, share, weight }): TableRow => ({
    color,
    cells: [
      { text: name, value: name },
      { text: share, value: weight },
    ],
  }));
  const columns = [
    { title: t("profile.step_time"), isNumber: false },
    { title: summary.step_ns === null ? "" : formatNs(summary.step_ns), isNumber: true },
  ];
  const advice = firstAdvice(summary);
  return {
    facts: advice === "" ? facts : [...facts, advice],
    parts: rows.length > 0 ? [{ kind: "table", label: t("nav.profile"), columns, rows }] : [],
  };
};
