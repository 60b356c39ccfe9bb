// SPDX-License-Identifier: Apache-2.0
import { ThemeColors } from "../frame/themeColors";

const COLORS = ["fill", "stroke"];
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "font-size",
  "font-family",
  "font-weight",
  "text-anchor",
];

const TITLE = 28;

/** A drawing of the page as a file of its own, with its styles written into it and a title above it. */
export function svgFile(svg: SVGSVGElement, title = ""): Blob {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [
    [svg, ...svg.querySelectorAll("*")],
    [copy, ...copy.querySelectorAll("*")],
  ];
  const themeColors = new ThemeColors(document.body);
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      to[index]!.setAttribute(name, COLORS.includes(name) && value !== "none" ? themeColors.hex(value) : value);
    }
    to[index]!.removeAttribute("class");
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("y", title === "" ? "0" : String(-TITLE));
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", themeColors.hex("var(--paper)"));
  themeColors.remove();
  if (title !== "") addTitle(copy, svg, title, themeColors.hex("var(--ink)"));
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

function addTitle(copy: SVGSVGElement, svg: SVGSVGElement, title: string, ink: string): void {
  const { clientWidth: width, clientHeight: height } = svg;
  copy.setAttribute("height", String(height + TITLE));
  copy.setAttribute("viewBox", `0 ${-TITLE} ${width} ${height + TITLE}`);
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
  const look = { x: "12", y: "-10", fill: ink, "font-family": "Inter, system-ui, sans-serif", "font-size": "12", "font-weight": "600" };
  for (const [name, value] of Object.entries(look)) text.setAttribute(name, value);
  text.textContent = title;
  copy.append(text);
}

/** The same as PNG at twice the resolution of the page. */
export async function svgImage(svg: SVGSVGElement, title = ""): Promise<Blob> {
  const { clientWidth: width, clientHeight: height } = svg;
  return pngOfSvg(await svgFile(svg, title).text(), width, height + (title === "" ? 0 : TITLE));
}

/** A drawing as a picture, twice as fine as its size in CSS pixels. */
export async function pngOfSvg(text: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(2 * width);
  canvas.height = Math.round(2 * height);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}
