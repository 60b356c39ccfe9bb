// SPDX-License-Identifier: Apache-2.0
import { shortFrame } from "../../../core/profiles/frameText";
import { formatNs } from "../../../core/profiles/timeText";
import { groupDigits } from "../../../core/text/format";
import type { MemoryGroup } from "../../../core/view/profileParts";
import { hasWords, t } from "../../../i18n/i18n.svelte";
import type { MemoryFacts } from "../../../state/data/profileParts";
import { moduleName } from "../moduleNames.svelte";

const CATEGORY_COLORS: Readonly<Record<string, string>> = {
  activation: "var(--series-0)",
  temporary: "var(--series-1)",
  gradient: "var(--series-3)",
  optimizer_state: "var(--series-5)",
  input: "var(--series-6)",
  parameter: "var(--series-2)",
};
export const OTHER_COLOR = "var(--outline)";

/** What a group of blocks is called; an empty one is unknown. */
export function groupName(by: MemoryGroup, text: string): string {
  if (text === "") return t("memory.unknown");
  const key = `memory.category_${text}`;
  if (by === "category" && hasWords(key)) return t(key);
  if (by === "module") return moduleName(text);
  return by === "line" ? shortFrame(text) : text;
}

/** The color of a group; `ranking` are the groups that have one of their own, the largest first. */
export function groupColor(by: MemoryGroup, text: string, ranking: readonly string[]): string {
  if (by === "category") return CATEGORY_COLORS[text] ?? OTHER_COLOR;
  const place = text === "" ? -1 : ranking.indexOf(text);
  return place < 0 ? OTHER_COLOR : `var(--series-${place % 10})`;
}

/** A moment; without times its place among the events. */
export function momentText(ns: number, { has_times, place_ns }: Pick<MemoryFacts, "has_times" | "place_ns">): string {
  return has_times ? formatNs(ns) : groupDigits(Math.round(ns / place_ns));
}
