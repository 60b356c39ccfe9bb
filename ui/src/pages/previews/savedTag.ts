// SPDX-License-Identifier: Apache-2.0
import { rowAtStep } from "../../core/series/steps";
import { groupDigits } from "../../core/text/format";
import { previewTag } from "../../core/view/dashboardView";
import type { CardContent } from "../../export/html/model";
import type { ShownValue } from "../../export/stepCards";
import { t } from "../../i18n/i18n.svelte";
import { readTags } from "../../state/data/exportReads";
import type { SeriesSource } from "../../state/data/seriesSource";
import { readOnce } from "../../state/requests/resourceCache";
import { view } from "../../state/view/view.svelte";
import type { SavedPreview } from "./kind";

type ReadTag = (run: string, tag: string, signal: AbortSignal) => Promise<CardContent>;

/** The preview of the tag that the dashboard shows. */
export function savedTag(read: ReadTag): SavedPreview {
  return async ({ run, kind }, signal) => {
    const { tags } = await readTags([run], kind, signal);
    const names = tags.map(({ tag }) => tag);
    const tag = previewTag(names, view.dashboard.tags[kind]);
    if (tag === undefined) return { facts: [], parts: [] };
    const { facts, parts } = await read(run, tag, signal);
    return { facts: [tag, ...facts], parts };
  };
}

/** The newest value of that tag. */
export function savedValue<List extends { step: readonly number[]; id: readonly string[] }>(
  source: SeriesSource<List>,
  read: (shown: ShownValue<List>, signal: AbortSignal) => Promise<CardContent>,
): SavedPreview {
  return savedTag(async (run, tag, signal) => {
    const list = await readOnce(source, { run, tag }, signal);
    const row = rowAtStep(list.step, null);
    if (row < 0) return { facts: [t("values.none")], parts: [] };
    const step = list.step[row]!;
    const { facts, parts } = await read({ key: { run, tag, id: list.id[row]! }, step, row, list }, signal);
    return { facts: [t("images.step", { step: groupDigits(step) }), ...facts], parts };
  });
}
