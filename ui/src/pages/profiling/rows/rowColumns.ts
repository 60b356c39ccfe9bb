// SPDX-License-Identifier: Apache-2.0
import { formatNs } from "../../../core/profiles/timeText";
import { arrangedColumns, type ColumnLayout } from "../../../core/tables/columnLayout";
import type { TableColumn } from "../../../core/tables/tableColumn";
import { formatBytes, formatCount, formatValue, groupDigits } from "../../../core/text/format";
import { hasWords, textOr, t, type MessageKey } from "../../../i18n/i18n.svelte";
import type { ProfileRow, ProfileRows } from "../../../state/data/profileRows";
import { moduleName } from "../moduleNames.svelte";
import { percent, wordOf } from "../profileWords";

export type FigureKind = ProfileRows["figures"][number]["kind"];
export type RowColumn = TableColumn & { kind: FigureKind | "text" };

/** Texts in the order of their columns; a stack is for the details only. */
const TEXTS = [
  "type",
  "kind",
  "operator",
  "module",
  "phase",
  "shapes",
  "dtypes",
  "core",
  "shape",
  "stream",
  "step",
  "shard_strategy",
  "device",
];
const FIGURES = ["share", "count", "device_self", "device_total", "host_self", "host_total", "total", "mean", "min", "max"];

/** The title of a column: `l2_hit_rate` without one is "L2 hit rate". */
export function columnTitle(id: string): string {
  return textOr(`rows.column_${id}`, id.charAt(0).toUpperCase() + id.slice(1).replaceAll("_", " "));
}

export function groupTitle(by: string): string {
  return textOr(`rows.by_${by}`, by);
}

/** The columns of an answer; what its rows are merged by is their name. */
export function rowColumns({ by, texts, figures }: Pick<ProfileRows, "by" | "texts" | "figures">): RowColumn[] {
  const own = new Set(by === "each" || by === "shapes" ? ["name"] : [by]);
  const shown = TEXTS.filter((id) => texts.includes(id) && !own.has(id));
  const known = FIGURES.flatMap((id) => figures.filter(({ name }) => name === id));
  const others = figures.filter(({ name }) => !FIGURES.includes(name));
  return [...[...known, ...others].map(({ name, kind }) => columnOf(name, kind)), ...shown.map((id) => columnOf(id, "text"))];
}

function columnOf(id: string, kind: RowColumn["kind"]): RowColumn {
  const isNumber = kind !== "text";
  return {
    ...{ id, kind, title: columnTitle(id), band: null, isNumber, differs: true, descendsFirst: isNumber },
    ...(id === "share" ? { isDrawn: true, width: 128 } : {}),
  };
}

/** The shown columns of `own` in their order. */
export function inLayout<Column extends TableColumn>(own: readonly Column[], layout: ColumnLayout): Column[] {
  return arrangedColumns(
    own.map(({ id }) => id),
    layout,
  ).flatMap((id) => own.find((column) => column.id === id) ?? []);
}

export function figureText(kind: FigureKind, value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (kind === "ns") return formatNs(value);
  if (kind === "bytes") return value < 0 ? `\u2212${formatBytes(-value)}` : formatBytes(value);
  if (kind === "share") return percent(value);
  if (kind === "count") return value < 1e6 ? groupDigits(value) : formatCount(value);
  return formatValue(value);
}

export function cellText({ texts, distinct, figures }: ProfileRow, { id, kind }: RowColumn): string {
  if (kind !== "text") return figures[id] === 0 && id !== "count" ? "–" : figureText(kind, figures[id]);
  const several = distinct[id];
  return several === undefined ? textOf(id, texts[id] ?? "") : t("rows.several", { n: several });
}

/** A text of a column as people write it. */
export function textOf(column: string, text: string): string {
  if (column === "kind") return wordOf("kind", text);
  if (column === "module") return moduleName(text);
  if (column === "phase" && hasWords(`rows.phase_${text}`)) return t(`rows.phase_${text}` as MessageKey);
  return column === "dtypes" ? typesText(text) : text;
}

/** Kineto writes types as JSON: `["float", "int"]`. */
function typesText(text: string): string {
  if (!text.startsWith("[")) return text;
  try {
    const types = JSON.parse(text) as unknown;
    return Array.isArray(types) ? types.map((each) => (each === "" ? "·" : JSON.stringify(each).replaceAll('"', ""))).join(", ") : text;
  } catch {
    return text;
  }
}

/** What a row is called, by what it is merged. */
export function rowName(by: string, name: string): string {
  if (name === "") return t("rows.none");
  if (by === "stack") {
    const frames = name.split(";");
    return frames.find((frame) => frame.includes(".py(")) ?? frames[0]!;
  }
  return textOf(by, name);
}
