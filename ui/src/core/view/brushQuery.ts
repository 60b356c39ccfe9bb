// SPDX-License-Identifier: Apache-2.0
import type { Param } from "./schema";
import { GAP_KINDS, type Brush, type Brushes } from "../lineage/brushes";

/** One `brush` each: a JSON list of the column and `{low, high}`, `{values}` or `{gaps}`. */
export const BRUSHES: Param<Brushes> = {
  defaultValue: new Map(),
  read: (query) => {
    const brushes = new Map<string, Brush[]>();
    for (const text of query.getAll("brush")) {
      const [column, brush] = parsed(text) ?? [];
      if (column !== undefined && brush !== undefined) brushes.set(column, [...(brushes.get(column) ?? []), brush]);
    }
    return brushes;
  },
  write: (brushes, query) => {
    for (const [column, some] of brushes) for (const brush of some) query.append("brush", JSON.stringify([column, brush]));
  },
};

function parsed(text: string): [string, Brush] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(value) || typeof value[0] !== "string") return null;
  const brush = brushOf(value[1]);
  return brush && [value[0], brush];
}

function brushOf(value: unknown): Brush | null {
  if (typeof value !== "object" || value === null) return null;
  const { low, high, values, gaps } = value as Record<string, unknown>;
  if (typeof low === "number" && typeof high === "number") return { low, high };
  if (areTexts(values)) return { values };
  const kinds = areTexts(gaps) ? GAP_KINDS.filter((kind) => gaps.includes(kind)) : [];
  return kinds.length > 0 ? { gaps: kinds } : null;
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
