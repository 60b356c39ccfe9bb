// SPDX-License-Identifier: Apache-2.0
import type { Drawing } from "../../core/layout/vectorDrawing";
import { svgFile, svgImage } from "./svgFile";

/** A drawing as a file of its own, with a title above it. */
export async function drawingFile({ width, height, body }: Drawing, kind: "svg" | "png", title: string): Promise<Blob> {
  const host = document.createElement("div");
  host.style.cssText = "position: fixed; visibility: hidden";
  host.innerHTML = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${body}</svg>`;
  document.body.append(host); // the browser resolves colors of attached elements only
  try {
    const svg = host.querySelector("svg")!;
    svg.style.visibility = "visible";
    return kind === "svg" ? svgFile(svg, title) : await svgImage(svg, title);
  } finally {
    host.remove();
  }
}
