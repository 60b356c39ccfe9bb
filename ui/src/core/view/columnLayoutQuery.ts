// SPDX-License-Identifier: Apache-2.0
import type { ColumnLayout } from "../tables/columnLayout";
import { unique } from "./queryValues";

/** Writes what people changed of the columns of a table; `prefix` begins the names of its parameters. */
export function describeLayout(layout: ColumnLayout, query: URLSearchParams, prefix = ""): void {
  if (layout.isChosen) query.append(`${prefix}columns`, "chosen");
  for (const column of layout.added) query.append(`${prefix}with`, column);
  for (const column of layout.hidden) query.append(`${prefix}hidden`, column);
  for (const column of layout.order) query.append(`${prefix}column`, column);
  for (const column of layout.pinned) query.append(`${prefix}fixed`, column);
  for (const [column, width] of Object.entries(layout.widths)) query.append(`${prefix}width`, `${width}:${column}`);
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function layoutOf(query: URLSearchParams, prefix = ""): ColumnLayout {
  const listed = (name: string): string[] => unique(query.getAll(prefix + name));
  return {
    isChosen: query.get(`${prefix}columns`) === "chosen",
    added: listed("with"),
    hidden: listed("hidden"),
    order: listed("column"),
    pinned: listed("fixed"),
    widths: Object.fromEntries(listed("width").flatMap((text) => widthOf(text))),
  };
}

function widthOf(text: string): [string, number][] {
  const [, width, column] = /^(\d{1,4}):(.+)$/s.exec(text) ?? [];
  return width !== undefined && column !== undefined ? [[column, Number(width)]] : [];
}
