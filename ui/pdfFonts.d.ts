// SPDX-License-Identifier: Apache-2.0
export function pdfFonts(letters: string): Promise<string>;
