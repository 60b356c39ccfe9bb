// SPDX-License-Identifier: Apache-2.0
import { zlibSync } from "fflate";

/** Objects of a PDF by their numbers, which begin with 1. */
export class PdfFile {
  readonly #objects: (Uint8Array[] | null)[] = [];
  readonly #streams = new Map<Uint8Array, number>();

  /** A number for an object that is written later. */
  reserve(): number {
    return this.#objects.push(null);
  }

  add(body: string, number = this.reserve()): number {
    this.#objects[number - 1] = [letters(body)];
    return number;
  }

  /** Compressed bytes with the entries of their dictionary. */
  addStream(bytes: Uint8Array, entries = "", number = this.reserve()): number {
    const packed = zlibSync(bytes, { level: 9 });
    const head = `<</Filter/FlateDecode/Length ${packed.length}${entries}>>stream\n`;
    this.#objects[number - 1] = [letters(head), packed, letters("\nendstream")];
    return number;
  }

  /** As `addStream`, but the same bytes are written once. */
  addOnce(bytes: Uint8Array, entries: string): number {
    const known = this.#streams.get(bytes) ?? this.addStream(bytes, entries);
    this.#streams.set(bytes, known);
    return known;
  }

  /** The whole file. `info` is the number of the object with its title. */
  blob(catalog: number, info: number): Blob {
    const parts: Uint8Array[] = [letters("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")];
    let size = parts[0]!.length;
    const push = (...pieces: Uint8Array[]): void => {
      parts.push(...pieces);
      size += pieces.reduce((sum, { length }) => sum + length, 0);
    };
    const places = this.#objects.map((body, index) => {
      const place = size;
      push(letters(`${index + 1} 0 obj\n`), ...(body ?? [letters("null")]), letters("\nendobj\n"));
      return `${String(place).padStart(10, "0")} 00000 n \n`;
    });
    const count = this.#objects.length + 1;
    const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join("")}`;
    const trailer = `trailer\n<</Size ${count}/Root ${catalog} 0 R/Info ${info} 0 R>>\nstartxref\n${size}\n%%EOF\n`;
    return new Blob([...parts, letters(table + trailer)] as BlobPart[], { type: "application/pdf" });
  }
}

/** One byte for each letter. */
export function letters(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

/** A text of any script as a string of a PDF. */
export function unicodeText(text: string): string {
  return `<FEFF${hexOf(text)}>`;
}

/** UTF-16 in hexadecimal digits. */
export function hexOf(text: string): string {
  return Array.from({ length: text.length }, (_, index) => hex4(text.charCodeAt(index))).join("");
}

export function hex4(number: number): string {
  return number.toString(16).padStart(4, "0").toUpperCase();
}

/** A number of at most three decimal places. */
export function decimal(number: number): string {
  return String(Math.round(number * 1000) / 1000);
}
