// SPDX-License-Identifier: Apache-2.0
import { t } from "../../i18n/i18n.svelte";
import type { Run } from "../../state/data/runs.svelte";
import type { Previews } from "../../state/data/values.svelte";
import type { KindDescriptor } from "../previews/kind";

/** How much a run has of a kind, in words; "" for nothing, null while it is unknown. */
export function cardAmount(
  { kind, count, card }: KindDescriptor,
  run: Run | undefined,
  previews: Previews | null,
  fields: number | null,
): string | null {
  if (card?.amount) return card.amount(previews, fields, run);
  const n = run?.tags[kind] ?? 0;
  return n > 0 && count ? t(count, { n }) : "";
}
