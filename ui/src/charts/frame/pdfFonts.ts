// SPDX-License-Identifier: Apache-2.0
import type { FontFile } from "./fontFile";
import { decimal, hex4, hexOf, letters, type PdfFile } from "./pdfFile";

/** Codes of letters are numbers of glyphs. */
const SYSTEM = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";

/** Letters of one font that a document writes, as codes of two bytes. */
export class PdfFont {
  readonly name: string;
  readonly file: FontFile;
  /** Text and width of each written code. */
  readonly #written = new Map<number, { text: string; width: number }>();

  constructor(name: string, file: FontFile) {
    this.name = name;
    this.file = file;
  }

  has(letter: string): boolean {
    return this.file.glyphOf(letter.codePointAt(0)!) !== 0;
  }

  /** Codes of a text in hexadecimal digits, and its width for a size of 1. */
  write(text: string): { codes: string; width: number } {
    let codes = "";
    let width = 0;
    for (const letter of text) {
      const glyph = this.file.glyphOf(letter.codePointAt(0)!);
      const wide = this.file.widthOf(glyph);
      this.#written.set(glyph, { text: letter, width: wide });
      codes += hex4(glyph);
      width += wide / 1000;
    }
    return { codes, width };
  }

  /** Adds the font to a file; null for one that wrote nothing. */
  addTo(pdf: PdfFile): number | null {
    return this.#written.size === 0 ? null : addFont(pdf, this.name, this.file, this.#written, "/Identity");
  }
}

/** Letters of scripts that no font here has. They are written unseen over their picture, so that a reader finds and copies them. */
export class UnseenLetters {
  readonly #codes = new Map<string, { code: number; width: number }>();

  /** Codes of a text whose letters have these widths, for a size of 1. */
  write(text: string, widthOf: (letter: string) => number): string {
    return [...text]
      .map((letter) => {
        const known = this.#codes.get(letter) ?? { code: this.#codes.size + 1, width: 1000 * widthOf(letter) };
        this.#codes.set(letter, known);
        return hex4(known.code);
      })
      .join("");
  }

  /** All codes are the space of a font; null if there are none. */
  addTo(pdf: PdfFile, file: FontFile): number | null {
    if (this.#codes.size === 0) return null;
    const space = file.glyphOf(0x20);
    const glyphs = Array.from({ length: this.#codes.size + 1 }, () => String.fromCharCode(space >> 8, space & 0xff)).join("");
    const written = new Map([...this.#codes].map(([text, { code, width }]) => [code, { text, width }]));
    return addFont(pdf, "Unseen", file, written, `${pdf.addStream(letters(glyphs))} 0 R`);
  }
}

function addFont(
  pdf: PdfFile,
  name: string,
  { bytes, ascent, descent }: FontFile,
  written: ReadonlyMap<number, { text: string; width: number }>,
  glyphs: string,
): number {
  const file = pdf.addOnce(bytes, `/Length1 ${bytes.length}`);
  const base = `/BaseFont/MINDSC+Inter-${name}`;
  const metrics = `/ItalicAngle 0/StemV 80/Ascent ${decimal(ascent)}/Descent ${decimal(descent)}/CapHeight 727`;
  const box = `/FontBBox[-500 ${decimal(descent)} 2500 ${decimal(ascent)}]`;
  const descriptor = pdf.add(`<</Type/FontDescriptor/FontName/MINDSC+Inter-${name}/Flags 32${box}${metrics}/FontFile2 ${file} 0 R>>`);
  const widths = [...written].map(([code, { width }]) => `${code}[${decimal(width)}]`).join("");
  const child = pdf.add(
    `<</Type/Font/Subtype/CIDFontType2${base}${SYSTEM}/FontDescriptor ${descriptor} 0 R/DW 1000/W[${widths}]/CIDToGIDMap ${glyphs}>>`,
  );
  const unicode = pdf.addStream(letters(unicodeMap(written)));
  return pdf.add(`<</Type/Font/Subtype/Type0${base}/Encoding/Identity-H/DescendantFonts[${child} 0 R]/ToUnicode ${unicode} 0 R>>`);
}

/** What text each code means. */
function unicodeMap(written: ReadonlyMap<number, { text: string }>): string {
  const rows = [...written].map(([code, { text }]) => `1 beginbfchar\n<${hex4(code)}><${hexOf(text)}>\nendbfchar\n`);
  return [
    "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n",
    "/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>> def\n/CMapName/Adobe-Identity-UCS def\n/CMapType 2 def\n",
    "1 begincodespacerange\n<0000><FFFF>\nendcodespacerange\n",
    ...rows,
    "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n",
  ].join("");
}
