// SPDX-License-Identifier: Apache-2.0
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import subsetFont from "subset-font";

const FONT = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const WEIGHTS = { regular: 400, bold: 600 };

/** A module of TrueType files in base64 with these letters, which PDF embeds: 18 kB a weight. */
export async function pdfFonts(letters) {
  const font = await readFile(fileURLToPath(import.meta.resolve(FONT)));
  const exported = Object.entries(WEIGHTS).map(async ([name, wght]) => {
    const file = await subsetFont(font, letters, { targetFormat: "truetype", variationAxes: { wght }, keepFeatures: [] });
    return `export const ${name} = "${Buffer.from(file).toString("base64")}";\n`;
  });
  return (await Promise.all(exported)).join("");
}
