// SPDX-License-Identifier: Apache-2.0
/** The font of the page as TrueType files in base64, for PDF. */
declare module "virtual:pdf-fonts" {
  export const regular: string;
  export const bold: string;
}
