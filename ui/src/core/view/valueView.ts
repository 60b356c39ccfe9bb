// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_CAMERA, readCamera, writeCamera, type Camera } from "../scene/camera";
import type { ColumnSort } from "../tables/columnSort";
import { fields, flag, integer, oneOf, optional, param, text, type Codec, type ValueOf } from "./schema";

export const TENSOR_MODES = ["table", "heat", "histogram"] as const;

/** Kinds of data that the page Media shows, in the order of its filter. */
export const MEDIA_KINDS = ["image", "text", "audio", "video", "table", "html", "mesh", "tensor"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

export const MOST_DECIMALS = 17;

const SLICE: Codec<readonly string[]> = { read: (text) => text.split(","), write: (slice) => slice.join(",") };
const DECIMALS: Codec<number> = {
  read: (text) => (/^\d{1,2}$/.test(text) ? Math.min(MOST_DECIMALS, Number(text)) : null),
  write: String,
};

const MESH_CAMERA: Codec<Camera> = { read: (text) => readCamera(text, -90), write: writeCamera };

/** A column of a recorded table by its number. */
const SORT: Codec<ColumnSort> = {
  read: (text) => (/^-?\d{1,6}$/.test(text) ? { column: text.replace("-", ""), isDescending: text.startsWith("-") } : null),
  write: ({ column, isDescending }) => `${isDescending ? "-" : ""}${column}`,
};

export function isMediaKind(kind: string): kind is MediaKind {
  return MEDIA_KINDS.some((one) => one === kind);
}

/** What the page of media and the tables of tensors look like beyond what all pages share. */
export const VALUE_VIEW = fields({
  /** The only kind of media that is shown; null for all. */
  kind: optional("kind", oneOf(MEDIA_KINDS)),
  /** Scalars of the same prefixes as cards beside the media. */
  hasCurves: flag("curves", "shown"),
  mode: param("as", oneOf(TENSOR_MODES), "table"),
  /** A text for each dimension in Python's slice syntax; null for the slice that the server proposes. */
  slice: optional("slice", SLICE),
  /** Decimal places; null shows every digit. */
  decimals: optional("decimals", DECIMALS),
  isScientific: flag("numbers", "scientific"),
  /** The colors of a heat map reach from the lowest to the highest number, however far a few of them lie. */
  isWholeRange: flag("colors", "whole"),
  /** Histogram of the whole tensor rather than of the slice. */
  isOfWhole: flag("of", "whole"),
  /** Texts letter by letter rather than as Markdown. */
  isPlain: flag("text", "plain"),
  /** Condition, words and order of the table that fills the page. */
  rowsWhere: param("table_where", text, ""),
  rowsSearch: param("table_search", text, ""),
  rowsSort: optional("table_sort", SORT),
  /** Where all meshes are seen from. */
  meshCamera: param("mesh_camera", MESH_CAMERA, DEFAULT_CAMERA),
  isWireframe: flag("mesh", "wireframe"),
  /** A second step beside that of the page. */
  otherStep: optional("table_step", integer),
});
export type ValueView = ValueOf<typeof VALUE_VIEW>;
