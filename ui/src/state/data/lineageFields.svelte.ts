// SPDX-License-Identifier: Apache-2.0
import { fetchFields, type Hparams } from "../../api/tables";
import type { RunField } from "../../core/runs/fieldTree";
import { t } from "../../i18n/i18n.svelte";
import { Kept } from "../requests/kept.svelte";
import { runs } from "./runs.svelte";

const ROLES: readonly string[] = ["parameter", "custom"];
const CELL_BYTES = 24;

/** The fields of the lineage of all runs by which they can be grouped. */
export class LineageFields {
  /** Asked again when runs or tags come: the lineage of a run is one of its tags. */
  readonly #kept = new Kept<{ runs: readonly string[]; tags: number }, Hparams>(
    "lineage fields",
    (question, signal) => fetchFields(question.runs, signal),
    ({ columns, rows }) => CELL_BYTES * columns.length * rows.length,
  );
  #columns = $derived((this.#kept.answer?.columns ?? []).map(({ name, role, differs }, index) => ({ name, role, differs, index })));
  #rows = $derived(new Map(this.#kept.answer?.rows.map(({ run, cells }) => [run, cells] as const)));

  /** Fields whose values differ, or all where none does. */
  names = $derived.by<readonly string[]>(() => {
    const fields = this.#columns.filter(({ role }) => ROLES.includes(role));
    const differing = fields.filter(({ differs }) => differs);
    return (differing.length > 0 ? differing : fields).map(({ name }) => name);
  });

  ask(): void {
    const tags = runs.list.reduce((sum, run) => sum + Object.values(run.tags).reduce((some, count) => some + count, 0), 0);
    this.#kept.ask({ runs: runs.ids, tags });
  }

  field(name: string): RunField {
    const column = this.#columns.find((one) => one.name === name && ROLES.includes(one.role))?.index ?? -1;
    return { name, valueOf: (run) => this.#rows.get(run)?.[column] ?? null, without: t("compare.without", { parameter: name }) };
  }

  release(): void {
    this.#kept.release();
  }
}
