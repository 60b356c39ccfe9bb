// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import type { Size } from "./plotFrame";
import { SvgContext } from "./svgContext";
import type { Ink, Surface } from "./surface";
import { ThemeColors } from "./themeColors";

/** A chart to be saved as a file, with its title above it. */
export interface Picture {
  title: string;
  /** Without the title. */
  size: Size;
  /** `ratio` is the pixels of the surface for a CSS pixel. */
  paint: (surface: Surface, ratio: number, ink: Ink) => void;
}

/** The chart to be saved, under a title. */
export type TitledPicture = (title: string) => Picture;

/** Takes the chart to be saved; null when it has gone. */
export type PictureReport = (picture: TitledPicture | null) => void;

/** Reports a chart; the returned function reports that it has gone. */
export function offerPicture(report: PictureReport | undefined, picture: TitledPicture): () => void {
  report?.(picture);
  return () => report?.(null);
}

const TITLE_FONT = '600 13px "Inter Variable", system-ui, sans-serif';
const TITLE_HEIGHT = 28;
const TITLE_PLACE = { x: 12, y: 19 };

/** Pixels of a PNG for a CSS pixel, at least: a picture is for slides and papers. */
const FINENESS = 2;

/** The chart without its title, with colors that follow the theme of the reader. */
export function pictureDrawing({ size, paint }: Picture): Drawing {
  const surface = new SvgContext();
  paint(surface, 1, (color) => color);
  return { ...size, body: surface.body(), plot: null };
}

/** Formats of a picture of lines and letters; one of pixels is a PNG. */
export const PICTURE_KINDS = ["png", "svg", "pdf"] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

export async function pictureFile(picture: Picture, kind: PictureKind): Promise<Blob> {
  const colors = new ThemeColors(document.body);
  try {
    if (kind === "png") return await png(picture, colors);
    return kind === "svg" ? svg(picture, colors) : await pdf(picture, colors);
  } finally {
    colors.remove();
  }
}

function png(picture: Picture, colors: ThemeColors): Promise<Blob> {
  const { width, height } = wholeSize(picture);
  const canvas = document.createElement("canvas");
  const ratio = Math.max(FINENESS, devicePixelRatio);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const ctx = canvas.getContext("2d")!;
  ctx.scale(ratio, ratio);
  paintPicture(picture, ctx, ratio, (color) => colors.resolve(color));
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}

function svg(picture: Picture, colors: ThemeColors): Blob {
  const surface = new SvgContext();
  paintPicture(picture, surface, 1, (color) => colors.hex(color));
  return new Blob([surface.file(wholeSize(picture))], { type: "image/svg+xml" });
}

async function pdf(picture: Picture, colors: ThemeColors): Promise<Blob> {
  const { pictureDocument } = await import("./pictureDocument");
  const paint = (surface: Surface): void => paintPicture(picture, surface, 1, (color) => color);
  return pictureDocument(picture.title, wholeSize(picture), (color) => colors.hex(color), paint);
}

function wholeSize({ size: { width, height } }: Picture): Size {
  return { width, height: height + TITLE_HEIGHT };
}

function paintPicture(picture: Picture, surface: Surface, ratio: number, ink: Ink): void {
  const { width, height } = wholeSize(picture);
  surface.fillStyle = ink("var(--paper)");
  surface.fillRect(0, 0, width, height);
  surface.fillStyle = ink("var(--ink)");
  surface.font = TITLE_FONT;
  surface.fillText(picture.title, TITLE_PLACE.x, TITLE_PLACE.y);
  surface.save();
  surface.translate(0, TITLE_HEIGHT);
  picture.paint(surface, ratio, ink);
  surface.restore();
}
