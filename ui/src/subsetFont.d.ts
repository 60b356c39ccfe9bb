// SPDX-License-Identifier: Apache-2.0
declare module "subset-font" {
  interface Options {
    targetFormat: "woff2";
    variationAxes: Readonly<Record<string, { min: number; max: number }>>;
    /** OpenType tags; others are left out. */
    keepFeatures: readonly string[];
  }

  export default function subsetFont(font: Uint8Array, text: string, options: Options): Promise<Uint8Array>;
}
