// SPDX-License-Identifier: Apache-2.0
import { svelte } from "@sveltejs/vite-plugin-svelte";
import subsetFont from "subset-font";
import { loadEnv, type Plugin } from "vite";
import { defineConfig } from "vitest/config";

import { pdfFonts } from "./pdfFonts.js";
import { LICENSES, workerCode, workerLicenses } from "./workerLicenses.js";

const server = loadEnv("", ".", "MINDSCOPE_")["MINDSCOPE_SERVER"] ?? "http://127.0.0.1:8080";

const FONT = /inter-latin-wght-normal.*\.woff2$/;
/** Code points of the font that the page holds; those of font.css are the same. */
const LETTERS = [
  [0x20, 0x7e],
  [0xa0, 0xff],
  [0x2010, 0x2026],
  [0x2190, 0x2193],
  [0x2212, 0x2212],
] as const;

const LETTERS_TEXT = String.fromCodePoint(
  ...LETTERS.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n)),
);

/** Leaves the letters, weights and features of the font that the page uses: half of its bytes. */
const smallFont: Plugin = {
  name: "small-font",
  async generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type !== "asset" || typeof file.source === "string" || !FONT.test(file.fileName)) continue;
      file.source = await subsetFont(file.source, LETTERS_TEXT, {
        targetFormat: "woff2",
        variationAxes: { wght: { min: 400, max: 700 } },
        keepFeatures: ["calt", "kern", "tnum", "cv05", "ss03"],
      });
    }
  },
};

const PDF_FONTS = "virtual:pdf-fonts";

/** The same letters for PDF. */
const pdfFont: Plugin = {
  name: "pdf-font",
  resolveId: (id) => (id === PDF_FONTS ? `\0${PDF_FONTS}` : null),
  load: (id) => (id === `\0${PDF_FONTS}` ? pdfFonts(LETTERS_TEXT) : null),
};

export default defineConfig({
  base: "./", // behind a proxy the page is at any path; src/core/view/root.ts says which
  plugins: [svelte(), smallFont, pdfFont, workerLicenses],
  worker: { plugins: () => [workerCode] },
  build: {
    outDir: "dist/built",
    target: "es2022",
    assetsInlineLimit: 0,
    license: { fileName: LICENSES }, // of all packages whose code the page holds
    // few requests, since a page is drawn after its last piece of code has come; larger pieces merge what pages need with what they rarely need
    cssCodeSplit: false,
    rollupOptions: { output: { experimentalMinChunkSize: 2_000 } },
  },
  server: { port: 8119, proxy: { "/api": { target: server, changeOrigin: true } } },
  // a busy machine is slow, which says nothing about the code
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          exclude: ["src/**/*.component.test.ts"],
          environment: "node",
          css: true,
          setupFiles: ["tests/properties.js"],
        },
      },
      "./vitest.components.config.ts",
    ],
  },
});
