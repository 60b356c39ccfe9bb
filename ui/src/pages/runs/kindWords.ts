// SPDX-License-Identifier: Apache-2.0
import { kindCounts, type RunFacts } from "../../core/runs/runTable";
import { t, type MessageKey } from "../../i18n/i18n.svelte";
import type { IconSource } from "../../widgets/controls/icons";
import type { KindDescriptor } from "../previews/kind";

export interface KindWords {
  kind: string;
  icon: IconSource;
  count: number;
  /** The count with the name of the kind. */
  text: string;
}

const SUMS: Readonly<Record<string, { icon: IconSource; count: MessageKey }>> = {
  lineage: { icon: "pipeline", count: "kind.lineage" },
  other: { icon: "more", count: "kind.other" },
};

/** Which kinds of data a run has, and how much of each. */
export function kindWords(tags: Readonly<Record<string, number>>, kinds: readonly KindDescriptor[]): KindWords[] {
  const named = new Map(kinds.flatMap(({ kind, icon, count }) => (count ? [[kind, { icon, count }]] : [])));
  return kindCounts(tags, [...named.keys()]).map(({ kind, count: n }) => {
    const { icon, count } = (named.get(kind) ?? SUMS[kind])!;
    return { kind, icon, count: n, text: t(count, { n }) };
  });
}

/** What a run has beside its event files: the name of the first of each, and how many. */
export function contentWords({ contents = [] }: Pick<RunFacts, "contents">): { name: string; text: string }[] {
  return contents.map(({ kind, name, count }) => ({ name, text: t(`content.${kind}`, { n: count }) }));
}
