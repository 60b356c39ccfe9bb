// SPDX-License-Identifier: Apache-2.0
import type { Size } from "./plotFrame";
import type { Surface } from "./surface";
import { bold, regular } from "virtual:pdf-fonts";
import { readFont } from "./fontFile";
import { PdfContext } from "./pdfContext";
import { decimal, letters, PdfFile, unicodeText } from "./pdfFile";
import { PdfFont } from "./pdfFonts";
import { PdfText, type LetterPicture } from "./pdfText";

/** Points of a CSS pixel. */
const POINTS = 0.75;

/** A PDF of one page as large as the picture. `hex` returns a color as #rrggbb. */
export function pictureDocument(title: string, size: Size, hex: (color: string) => string, paint: (surface: Surface) => void): Blob {
  const [plain, heavy] = [regular, bold].map((file) => readFont(Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0))));
  const text = new PdfText(new PdfFont("Regular", plain!), new PdfFont("Bold", heavy!));
  const context = new PdfContext(text, hex);
  paint(context);
  const pdf = new PdfFile();
  const content = pdf.addStream(letters(`${POINTS} 0 0 ${-POINTS} 0 ${decimal(size.height * POINTS)} cm\n${context.body()}`));
  const fonts = [
    ...[text.regular, text.bold].map((font) => [font.name, font.addTo(pdf)] as const),
    ["Unseen", text.unseen.addTo(pdf, plain!)] as const,
  ].filter(([, number]) => number !== null);
  const opacities = [...context.opacities].map(([opacity, name]) => `/${name}<</ca ${opacity}/CA ${opacity}>>`);
  const pictures = text.pictures.map((picture) => [picture.name, addPicture(pdf, picture)] as const);
  const pages = pdf.reserve();
  const resources = `<</Font<<${references(fonts)}>>/XObject<<${references(pictures)}>>/ExtGState<<${opacities.join("")}>>>>`;
  const box = `[0 0 ${decimal(size.width * POINTS)} ${decimal(size.height * POINTS)}]`;
  const page = pdf.add(`<</Type/Page/Parent ${pages} 0 R/MediaBox${box}/Resources${resources}/Contents ${content} 0 R>>`);
  pdf.add(`<</Type/Pages/Kids[${page} 0 R]/Count 1>>`, pages);
  const info = pdf.add(`<</Title${unicodeText(title)}/Creator(mindscope)>>`);
  return pdf.blob(pdf.add(`<</Type/Catalog/Pages ${pages} 0 R/ViewerPreferences<</DisplayDocTitle true>>>>`), info);
}

function references(objects: readonly (readonly [string, number | null])[]): string {
  return objects.map(([name, number]) => `/${name} ${number} 0 R`).join("");
}

/** A pixel of a color, as opaque as the letters. */
function addPicture(pdf: PdfFile, { width, height, alpha, rgb }: LetterPicture): number {
  const image = (size: string, space: string): string => `/Type/XObject/Subtype/Image${size}/ColorSpace/${space}/BitsPerComponent 8`;
  const mask = pdf.addStream(alpha, image(`/Width ${width}/Height ${height}`, "DeviceGray"));
  const pixel = Uint8Array.from(rgb, (part) => Math.round(part * 255));
  return pdf.addStream(pixel, `${image("/Width 1/Height 1", "DeviceRGB")}/SMask ${mask} 0 R`);
}
