// SPDX-License-Identifier: Apache-2.0
export const TENSOR_MODES = ["table", "heat", "histogram"] as const;
export type TensorMode = (typeof TENSOR_MODES)[number];

export const MOST_DECIMALS = 17;

/** What the pages of tensors, texts and tables look like beyond what all pages share; all of it is in the address. */
export interface ValueView {
  mode: TensorMode;
  /** A text for each dimension in Python's slice syntax; null for the slice that the server proposes. */
  slice: readonly string[] | null;
  /** Decimal places; null shows every digit. */
  decimals: number | null;
  isScientific: boolean;
  /** The colors of a heat map reach from the lowest to the highest number, however far a few of them lie. */
  isWholeRange: boolean;
  /** Histogram of the whole tensor rather than of the slice. */
  isOfWhole: boolean;
  /** Texts letter by letter rather than as Markdown. */
  isPlain: boolean;
}

export function defaultValueView(): ValueView {
  return {
    mode: "table",
    slice: null,
    decimals: null,
    isScientific: false,
    isWholeRange: false,
    isOfWhole: false,
    isPlain: false,
  };
}

export function describeValues(view: ValueView, query: URLSearchParams): void {
  if (view.mode !== "table") query.append("as", view.mode);
  if (view.slice) query.append("slice", view.slice.join(","));
  if (view.decimals !== null) query.append("decimals", String(view.decimals));
  if (view.isScientific) query.append("numbers", "scientific");
  if (view.isWholeRange) query.append("colors", "whole");
  if (view.isOfWhole) query.append("of", "whole");
  if (view.isPlain) query.append("text", "plain");
}

/** Never fails: what a link says wrongly is as if it said nothing. */
export function valueViewOf(query: URLSearchParams): ValueView {
  const slice = query.get("slice");
  const decimals = query.get("decimals");
  return {
    mode: TENSOR_MODES.find((mode) => mode === query.get("as")) ?? "table",
    slice: slice === null ? null : slice.split(","),
    decimals: decimals !== null && /^\d{1,2}$/.test(decimals) ? Math.min(MOST_DECIMALS, Number(decimals)) : null,
    isScientific: query.get("numbers") === "scientific",
    isWholeRange: query.get("colors") === "whole",
    isOfWhole: query.get("of") === "whole",
    isPlain: query.get("text") === "plain",
  };
}
