// SPDX-License-Identifier: Apache-2.0
import type { DrawnLine } from "../../core/layout/vectorDrawing";
import { jsonNumbers, shortNumbers } from "../../core/tables/json";
import type { Part, TableRow } from "./model";

/** What the scripts of a page need to know of its cards. */
export interface CardValues {
  language: string;
  words: { step: string; smoothed: string; runs: string; more: string };
  cards: readonly { parts: readonly unknown[] }[];
}

/** The numbers and texts of a part as JSON, for programs and for the tooltip. Images and audio are only in the page. */
export function partValues(part: Part): unknown {
  switch (part.kind) {
    case "curves":
      return { kind: part.kind, plot: part.drawing.plot, lines: part.lines.map(lineValues) };
    case "drawing":
    case "cells":
      return { kind: part.kind, values: part.values };
    case "surface":
      return { kind: part.kind, look: part.look, values: part.values };
    case "pictures":
      return { kind: part.kind, arrangement: part.arrangement, pictures: part.pictures.map(({ label }) => label) };
    case "table":
      return {
        kind: part.kind,
        columns: part.columns.map(({ title, group = "" }) => (group === "" ? title : `${group} ${title}`)),
        rows: part.rows.map(rowValues),
      };
    case "text":
      return { kind: part.kind, text: part.text };
    case "sound":
      return { kind: part.kind, isHeld: part.source !== null };
    case "notice":
      return { kind: part.kind, text: part.text };
  }
}

function rowValues({ cells }: TableRow): unknown[] {
  return cells.map(({ value }) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value));
}

function lineValues({ name, part, color, scale, ...columns }: DrawnLine): object {
  const held = Object.entries(columns).filter((entry): entry is [string, ArrayLike<number>] => entry[1] !== null && entry[1] !== undefined);
  return { name, part, color, scale, ...Object.fromEntries(held.map(([column, values]) => [column, jsonNumbers(shortNumbers(values))])) };
}
