// SPDX-License-Identifier: Apache-2.0

/** Middles of the marks of a chart in CSS pixels: lines from the top, each from the left. */
export type MarkLines = readonly (readonly { x: number; y: number }[])[];

/** A mark by its line and its place in it. */
export interface MarkPlace {
  line: number;
  index: number;
}

/** The mark that a key moves the focus to; null for another key, and for a chart without marks. */
export function focusAfter(key: string, from: MarkPlace | null, lines: MarkLines): MarkPlace | null {
  const isMove = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(key);
  if (!isMove || !lines.some(({ length }) => length > 0)) return null;
  if (key === "End") return within({ line: lines.length - 1, index: Infinity }, lines);
  if (from === null || key === "Home") return within({ line: 0, index: 0 }, lines);
  const { line, index } = from;
  if (key === "ArrowLeft") return within({ line, index: index - 1 }, lines);
  if (key === "ArrowRight") return within({ line, index: index + 1 }, lines);
  if (key === "ArrowUp") return within({ line: line - 1, index }, lines);
  return within({ line: line + 1, index }, lines);
}

/** The nearest mark that exists. */
export function within({ line, index }: MarkPlace, lines: MarkLines): MarkPlace {
  const near = Math.max(0, Math.min(lines.length - 1, line));
  return { line: near, index: Math.max(0, Math.min((lines[near]?.length ?? 1) - 1, index)) };
}
