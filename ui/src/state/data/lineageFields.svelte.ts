// SPDX-License-Identifier: Apache-2.0
import type { RunField } from "../../core/runs/fieldTree";
import { parameterTable } from "../../core/lineage/parameterTable";
import { t } from "../../i18n/i18n.svelte";
import { lineage } from "./lineage.svelte";
import { runs } from "./runs.svelte";

/** The fields of the lineage of all runs by which they are grouped and named; read while the lineage is used. */
class LineageFields {
  #table = $derived(lineage.table && parameterTable(lineage.table, runs.ids));

  /** Fields whose values differ, or all where none does. */
  names = $derived.by<readonly string[]>(() => {
    const fields = this.#table?.columns ?? [];
    const differing = fields.filter(({ differs }) => differs);
    return (differing.length > 0 ? differing : fields).map(({ name }) => name);
  });

  field(name: string): RunField {
    const column = this.#table?.columns.findIndex((one) => one.name === name) ?? -1;
    return { name, valueOf: (run) => this.#table?.cells.get(run)?.[column] ?? null, without: t("compare.without", { parameter: name }) };
  }
}

export const lineageFields = new LineageFields();
