// SPDX-License-Identifier: Apache-2.0
import { fetchFields, type Hparams } from "../../api/tables";
import type { RunField } from "../../core/runs/fieldTree";
import { t } from "../../i18n/i18n.svelte";
import { Resource } from "../requests/resource.svelte";
import { noRuns, type ResourceDefinition } from "../requests/resourceCache";
import { runs } from "./runs.svelte";

const ROLES: readonly string[] = ["parameter", "custom"];
const CELL_BYTES = 24;

/** Read again when runs or tags are added, since the lineage of a run is one of its tags. */
const lineageFields: ResourceDefinition<{ runs: readonly string[]; tags: number }, Hparams> = {
  kind: "lineage fields",
  read: ({ runs: some }, signal) => fetchFields(some, signal),
  runs: noRuns,
  bytes: ({ columns, rows }) => CELL_BYTES * columns.length * rows.length,
};

/** The fields of the lineage of all runs by which they can be grouped. */
export class LineageFields {
  readonly #fields = new Resource(lineageFields);
  #columns = $derived((this.#fields.value?.columns ?? []).map(({ name, role, differs }, index) => ({ name, role, differs, index })));
  #rows = $derived(new Map(this.#fields.value?.rows.map(({ run, cells }) => [run, cells] as const)));

  /** Fields whose values differ, or all where none does. */
  names = $derived.by<readonly string[]>(() => {
    const fields = this.#columns.filter(({ role }) => ROLES.includes(role));
    const differing = fields.filter(({ differs }) => differs);
    return (differing.length > 0 ? differing : fields).map(({ name }) => name);
  });

  request(): void {
    const tags = runs.list.reduce((sum, run) => sum + Object.values(run.tags).reduce((some, count) => some + count, 0), 0);
    this.#fields.request({ runs: runs.ids, tags });
  }

  field(name: string): RunField {
    const column = this.#columns.find((one) => one.name === name && ROLES.includes(one.role))?.index ?? -1;
    return { name, valueOf: (run) => this.#rows.get(run)?.[column] ?? null, without: t("compare.without", { parameter: name }) };
  }

  release(): void {
    this.#fields.release();
  }
}
