// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import type { ProfileEntry } from "../../state/data/profiles";

const SUFFIX = /(?:\.pt\.trace)?\.json(?:\.gz)?$/;
const RANK = /rank_?(\d+)/;

/** Profiles by their rank and steps, or else by their files; with the file where several profiles of a run would have one name. */
export function profileTitles(entries: readonly ProfileEntry[]): string[] {
  const titles = entries.map((entry) => titleOf(entry, hasRanks(entries, entry.run)));
  return entries.map(({ run, profile }, index) => {
    const isTwice = entries.some((other, place) => place !== index && other.run === run && titles[place] === titles[index]);
    return isTwice ? `${titles[index]} · ${profile}` : titles[index]!;
  });
}

function titleOf({ profile, first_step: first, last_step: last }: ProfileEntry, isOfRank: boolean): string {
  if (first === null || last === null) return profile.replace(SUFFIX, "");
  const steps = first === last ? t("profile.step_number", { n: first }) : t("profile.of_steps", { first, last });
  const rank = isOfRank ? RANK.exec(profile)?.[1] : undefined;
  return rank === undefined ? steps : `${t("profile.of_rank", { rank })} · ${steps}`;
}

function hasRanks(entries: readonly ProfileEntry[], run: string): boolean {
  return new Set(entries.flatMap((entry) => (entry.run === run ? (RANK.exec(entry.profile)?.[1] ?? []) : []))).size > 1;
}
