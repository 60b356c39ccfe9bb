// SPDX-License-Identifier: Apache-2.0
import { decimal } from "./pdfFile";
import { type PdfFont, UnseenLetters } from "./pdfFonts";

/** Weight and size in pixels. */
interface TextFont {
  weight: number;
  size: number;
}

/** A picture of letters: opacities of its pixels, row by row. */
export interface LetterPicture {
  name: string;
  width: number;
  height: number;
  alpha: Uint8Array;
  rgb: readonly number[];
}

/** Pixels of a picture of letters for a pixel of the chart: some 400 in an inch. */
const FINENESS = 4;
/** Height of such a picture and the part of it below the baseline, for a size of 1. */
const [HEIGHT, BELOW] = [1.6, 0.4];
/** From this weight on, letters are those of the bold font. */
const BOLD = 550;

/**
 * Texts of a page. Letters of the page's font are letters of an embedded font. The browser has fonts for all other scripts, but gives
 * them to no page: those letters are a fine picture, with letters to find and copy over it.
 */
export class PdfText {
  readonly regular: PdfFont;
  readonly bold: PdfFont;
  readonly unseen = new UnseenLetters();
  readonly pictures: LetterPicture[] = [];
  readonly #ruler = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;

  constructor(regular: PdfFont, bold: PdfFont) {
    this.regular = regular;
    this.bold = bold;
  }

  widthOf(text: string, font: TextFont): number {
    return this.#runs(text).reduce((sum, run) => sum + this.#runWidth(run, font), 0);
  }

  /** Operators that write a text from a place to the right; `mode` 0 fills and 1 strokes the letters. */
  written(text: string, left: number, y: number, font: TextFont, mode: 0 | 1, rgb: readonly number[]): string {
    let operators = "";
    let x = left;
    for (const run of this.#runs(text)) {
      operators += run.isOurs ? this.#letters(run.text, x, y, font, mode) : mode === 1 ? "" : this.#picture(run.text, x, y, font, rgb);
      x += this.#runWidth(run, font);
    }
    return operators;
  }

  #fontOf({ weight }: TextFont): PdfFont {
    return weight >= BOLD ? this.bold : this.regular;
  }

  /** Neighboring letters that the font has, or has not. */
  #runs(text: string): { text: string; isOurs: boolean }[] {
    const runs: { text: string; isOurs: boolean }[] = [];
    for (const letter of text) {
      const isOurs = this.regular.has(letter);
      const last = runs.at(-1);
      if (last?.isOurs === isOurs) last.text += letter;
      else runs.push({ text: letter, isOurs });
    }
    return runs;
  }

  #runWidth({ text, isOurs }: { text: string; isOurs: boolean }, font: TextFont): number {
    return isOurs ? font.size * this.#fontOf(font).write(text).width : this.#measured(text, font);
  }

  #measured(text: string, { weight, size }: TextFont): number {
    this.#ruler.font = `${weight} ${size}px system-ui, sans-serif`;
    return this.#ruler.measureText(text).width;
  }

  #letters(text: string, x: number, y: number, font: TextFont, mode: 0 | 1): string {
    const of = this.#fontOf(font);
    return `BT /${of.name} ${decimal(font.size)} Tf ${mode} Tr 1 0 0 -1 ${decimal(x)} ${decimal(y)} Tm <${of.write(text).codes}> Tj ET\n`;
  }

  #picture(text: string, x: number, y: number, font: TextFont, rgb: readonly number[]): string {
    const { size } = font;
    const wide = this.#measured(text, font);
    const picture = { name: `I${this.pictures.length}`, rgb, ...this.#painted(text, font, wide) };
    this.pictures.push(picture);
    const [width, height] = [picture.width / FINENESS, picture.height / FINENESS];
    const bottom = y + size * BELOW;
    const image = `q ${decimal(width)} 0 0 ${decimal(-height)} ${decimal(x)} ${decimal(bottom)} cm /${picture.name} Do Q\n`;
    const codes = this.unseen.write(text, (letter) => this.#measured(letter, font) / size);
    return `${image}BT /Unseen ${decimal(size)} Tf 3 Tr 1 0 0 -1 ${decimal(x)} ${decimal(y)} Tm <${codes}> Tj ET\n`;
  }

  #painted(text: string, { weight, size }: TextFont, wide: number): Pick<LetterPicture, "width" | "height" | "alpha"> {
    const canvas = document.createElement("canvas");
    const [width, height] = [Math.ceil(wide * FINENESS) + FINENESS, Math.ceil(size * HEIGHT * FINENESS)];
    Object.assign(canvas, { width, height });
    const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
    ctx.font = `${weight} ${size * FINENESS}px system-ui, sans-serif`;
    ctx.fillText(text, 0, height - size * BELOW * FINENESS);
    const { data } = ctx.getImageData(0, 0, width, height);
    return { width, height, alpha: Uint8Array.from({ length: width * height }, (_, pixel) => data[4 * pixel + 3]!) };
  }
}
