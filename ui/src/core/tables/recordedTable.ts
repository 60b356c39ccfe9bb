// SPDX-License-Identifier: Apache-2.0
import type { components } from "../messages/schema";
import { formatSetting } from "../text/format";
import type { TableColumn } from "./tableColumn";

type TablePage = components["schemas"]["TableAnswer"];
export type RecordedCell = TablePage["columns"][number]["values"][number];
/** What a browser does with a file of a cell. */
export type FileKind = "image" | "sound" | "file";

export interface RecordedColumn extends TableColumn {
  isMedia: boolean;
}

const PICTURE_WIDTH = 112;
const PLAYER_WIDTH = 260;

/** The columns of a table; their ids are their numbers, since names can be anything. */
export function recordedColumns({ columns, media }: Pick<TablePage, "columns" | "media">): RecordedColumn[] {
  return columns.map(({ name, type, values }, number) => {
    const isMedia = type === "media";
    const hasSound = isMedia && values.some((file) => fileKind(media, file) === "sound");
    return {
      id: String(number),
      title: name,
      band: null,
      isNumber: type === "number",
      differs: true,
      isMedia,
      isDrawn: isMedia,
      ...(isMedia ? { width: hasSound ? PLAYER_WIDTH : PICTURE_WIDTH } : {}),
    };
  });
}

export function fileKind(media: TablePage["media"], file: RecordedCell): FileKind {
  const type = media[String(file)] ?? "";
  return type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "sound" : "file";
}

/** A cell in words; an empty one is a dash, and a fraction has five digits. */
export function recordedText(cell: RecordedCell | undefined): string {
  if (cell === null || cell === undefined) return "–";
  return typeof cell === "number" ? formatSetting(cell) : String(cell);
}

/** The rows that have arrived, by their numbers among the matching ones. */
export function arrivedRows({ first, rows }: Pick<TablePage, "first" | "rows">): ReadonlyMap<number, number> {
  return new Map(rows.map((_, offset) => [first + offset, offset]));
}
