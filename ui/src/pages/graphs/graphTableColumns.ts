// SPDX-License-Identifier: Apache-2.0
import { AMOUNTS, type Amount, type GraphTable } from "../../core/graphs/model/graphTables";
import type { TableKind } from "../../core/graphs/model/tableKinds";
import { itemName, itemPath, moduleClass, type ScopeTree } from "../../core/graphs/model/scopeTree";
import type { Table } from "../../core/tables/json";
import type { TableColumn } from "../../core/tables/tableColumn";
import { formatBytes, formatCount, groupDigits } from "../../core/text/format";
import { t } from "../../i18n/i18n.svelte";
import { shapeWords } from "./graphWords";

type TextColumn = "type" | "dtype" | "shape";
export type GraphColumn = TableColumn & { id: TextColumn | Amount };

const COLUMNS: Readonly<Record<TableKind, readonly GraphColumn["id"][]>> = {
  scopes: ["type", "shape", "dtype", "count", "parameters", "trainable", "flops", "bytes"],
  types: ["count", "parameters", "flops", "bytes", "dtype"],
  layers: ["type", "shape", "parameters", "flops", "dtype", "trainable", "count", "bytes"],
};
export const NAME = "name";

const isAmount = (id: string): id is Amount => (AMOUNTS as readonly string[]).includes(id);

export const graphColumns = (kind: TableKind): GraphColumn[] =>
  COLUMNS[kind].map((id) => ({
    id,
    title: t(`graph.column_${id}`),
    band: null,
    isNumber: isAmount(id),
    differs: true,
    descendsFirst: isAmount(id),
  }));

/** A name of a row: that of a type, the path of a layer, or the label of an item of the tree. */
export function rowName(tree: ScopeTree, { kind, row }: GraphTable, place: number): string {
  if (kind === "types") return tree.structure.texts[row[place]!] || t("graph.no_type");
  return (kind === "layers" ? itemPath(tree, row[place]!) : itemName(tree, row[place]!)) || t("graph.no_name");
}

/** An amount in words; "–" for an unknown one, "≥" where a part of it is unknown. */
export function amountText(value: number, format: (value: number) => string, isPartial: boolean): string {
  if (Number.isNaN(value)) return "–";
  return isPartial ? `≥ ${format(value)}` : format(value);
}

export function cellText(tree: ScopeTree, table: GraphTable, place: number, id: GraphColumn["id"]): string {
  if (isAmount(id)) {
    const value = table.amounts[id][place]!;
    if (value === 0 && id !== "count") return "–";
    const format = id === "bytes" ? formatBytes : id === "count" ? groupDigits : formatCount;
    return amountText(value, format, table.isPartial[id][place]! > 0);
  }
  if (id === "type" && table.kind !== "types" && table.row[place]! < tree.scopeCount) return moduleClass(tree, table.row[place]!);
  const text = tree.structure.texts[table[id][place]!] ?? "";
  return id === "shape" ? shapeWords(text) : text;
}

const knownAmount = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** All rows as numbers and full names. */
export function savedTable(tree: ScopeTree, table: GraphTable): Table {
  const columns = COLUMNS[table.kind];
  const name = (place: number): string => {
    const item = table.row[place]!;
    if (table.kind !== "scopes") return rowName(tree, table, place);
    return itemPath(tree, item);
  };
  return {
    header: ["name", ...columns],
    rows: Array.from(table.row, (_, place) => [
      name(place),
      ...columns.map((id) => (isAmount(id) ? knownAmount(table.amounts[id][place]!) : cellText(tree, table, place, id))),
    ]),
  };
}
