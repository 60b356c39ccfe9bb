// SPDX-License-Identifier: Apache-2.0
import { dataUrl } from "./dataUrl";

/** The font of the page as style rules with its bytes. Without the file of the font, there are none: the reader's system has others. */
export async function fontRules(signal: AbortSignal): Promise<string> {
  const faces = [...document.fonts].length === 0 ? [] : fontFaces();
  const rules = await Promise.all(faces.map((face) => withBytes(face, signal)));
  return rules.join("");
}

function fontFaces(): CSSFontFaceRule[] {
  return [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].filter((rule) => rule instanceof CSSFontFaceRule));
}

async function withBytes(face: CSSFontFaceRule, signal: AbortSignal): Promise<string> {
  const [, source] = /url\("?([^")]+)"?\)/.exec(face.style.getPropertyValue("src")) ?? [];
  if (source === undefined) return "";
  const address = new URL(source, face.parentStyleSheet?.href ?? location.href);
  const response = await fetch(address, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof Error ? null : null;
  });
  if (!response?.ok) return "";
  return face.cssText.replace(/url\("?[^")]+"?\)/, `url("${await dataUrl(await response.blob())}")`);
}
