// SPDX-License-Identifier: Apache-2.0
import { fileTexts } from "../../i18n/en/files";
import { addEnglish, t } from "../../i18n/i18n.svelte";
import type { RunFile } from "../../state/data/files";

addEnglish(fileTexts);

/** What a reader must know of a file: why it is not there, that it is cut, what is masked. */
export function fileNote(file: Pick<RunFile, "left_out" | "is_cut" | "masked">): string {
  if (file.left_out) return t(`files.left_${file.left_out}`);
  const parts = [...(file.is_cut ? [t("files.cut")] : []), ...(file.masked > 0 ? [t("files.masked", { n: file.masked })] : [])];
  return parts.join(" · ");
}

/** The parts of a text with an equal look, in their order. */
export interface TextPiece {
  text: string;
  look: "added" | "removed" | "head" | "masked" | null;
}

const MASK = /\bMASKED\b/;
const MOST_LINES = 20_000;

/** A text in pieces: lines of a difference by what they do, masked secrets. A very long text is one piece. */
export function textPieces(text: string, isDiff: boolean): TextPiece[] {
  const lines = text.split(/(?<=\n)/);
  if (lines.length > MOST_LINES) return [{ text, look: null }];
  const pieces: TextPiece[] = [];
  for (const line of lines) {
    const look = isDiff ? lookOf(line) : null;
    const last = pieces.at(-1);
    if (MASK.test(line)) pieces.push(...maskedPieces(line, look));
    else if (last?.look === look) last.text += line;
    else pieces.push({ text: line, look });
  }
  return pieces;
}

function maskedPieces(line: string, look: TextPiece["look"]): TextPiece[] {
  const pieces = line.split(/(\bMASKED\b)/).map((text): TextPiece => ({ text, look: text === "MASKED" ? "masked" : look }));
  return pieces.filter(({ text }) => text !== "");
}

function lookOf(line: string): TextPiece["look"] {
  if (/^(diff |index |--- |\+\+\+ |@@ |new file|deleted file|similarity |rename )/.test(line)) return "head";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : null;
}
