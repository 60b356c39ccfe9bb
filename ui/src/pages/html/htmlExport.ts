// SPDX-License-Identifier: Apache-2.0
import { formatBytes } from "../../core/text/format";
import type { CardContent } from "../../export/html/model";
import { savedMedia, type ShownValue } from "../../export/stepCards";
import { t } from "../../i18n/i18n.svelte";
import { readOnce } from "../../state/requests/resourceCache";
import { valueBytes, valueLists, type ValueList } from "../../state/data/values.svelte";

export const htmlMedia = savedMedia({ source: valueLists("html"), read });

/** The source of the page: a saved page shows it as text and runs nothing. */
async function read({ key }: ShownValue<ValueList>, signal: AbortSignal): Promise<CardContent> {
  const bytes = await readOnce(valueBytes("/api/html"), key, signal);
  return { facts: [formatBytes(bytes.size), t("html.source")], parts: [{ kind: "text", text: await bytes.text(), markup: null }] };
}
