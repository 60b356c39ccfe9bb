// SPDX-License-Identifier: Apache-2.0
/** The numbers of a TrueType file that a PDF needs. */
export interface FontFile {
  bytes: Uint8Array;
  /** Number of the glyph of a code point; 0 for a letter that the font has not. */
  glyphOf: (letter: number) => number;
  /** Of a glyph, in thousandths of the size. */
  widthOf: (glyph: number) => number;
  /** In thousandths of the size. */
  ascent: number;
  descent: number;
}

const THOUSAND = 1000;
/** Platform and encoding of tables of Unicode. */
const UNICODE: ReadonlySet<number> = new Set([0x3, 0x30001]);

/** Reads a TrueType file with a table of letters in format 4, which all fonts have. */
export function readFont(bytes: Uint8Array): FontFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = new Map<string, number>();
  for (let row = 0; row < view.getUint16(4); row++) {
    const at = 12 + 16 * row;
    tables.set(String.fromCharCode(...bytes.subarray(at, at + 4)), view.getUint32(at + 8));
  }
  const [head, hhea, hmtx] = ["head", "hhea", "hmtx"].map((name) => tables.get(name)!) as [number, number, number];
  const scale = THOUSAND / view.getUint16(head + 18);
  const last = view.getUint16(hhea + 34) - 1;
  const glyphs = lettersOf(view, tables.get("cmap")!);
  return {
    bytes,
    glyphOf: (letter) => glyphs.get(letter) ?? 0,
    widthOf: (glyph) => scale * view.getUint16(hmtx + 4 * Math.min(glyph, last)),
    ascent: scale * view.getInt16(hhea + 4),
    descent: scale * view.getInt16(hhea + 6),
  };
}

/** Glyphs by code point. */
function lettersOf(view: DataView, cmap: number): Map<number, number> {
  const glyphs = new Map<number, number>();
  for (let row = 0; row < view.getUint16(cmap + 2); row++) {
    const at = cmap + view.getUint32(cmap + 8 + 8 * row);
    if (UNICODE.has(view.getUint32(cmap + 4 + 8 * row)) && view.getUint16(at) === 4) addSegments(view, at, glyphs);
  }
  return glyphs;
}

function addSegments(view: DataView, at: number, glyphs: Map<number, number>): void {
  const doubled = view.getUint16(at + 6);
  const [ends, starts, deltas, offsets] = [at + 14, at + 16 + doubled, at + 16 + 2 * doubled, at + 16 + 3 * doubled];
  for (let segment = 0; segment < doubled; segment += 2) {
    const [start, end, delta] = [view.getUint16(starts + segment), view.getUint16(ends + segment), view.getUint16(deltas + segment)];
    const offset = view.getUint16(offsets + segment);
    for (let letter = start; letter <= end && letter < 0xffff; letter++) {
      const index = offset === 0 ? letter : view.getUint16(offsets + segment + offset + 2 * (letter - start));
      if (index !== 0) glyphs.set(letter, (index + delta) & 0xffff);
    }
  }
}
