// SPDX-License-Identifier: Apache-2.0
const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "font-size", "font-family", "font-weight", "text-anchor"];

/** A drawing of the page as a file of its own: its styles are written into it. */
export function svgFile(svg: SVGSVGElement): Blob {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [[svg, ...svg.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, index) => {
    const style = getComputedStyle(element);
    for (const name of STYLES) to[index]!.setAttribute(name, style.getPropertyValue(name));
    to[index]!.removeAttribute("class");
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

/** The same as a picture, twice as fine as the page. */
export async function svgPicture(svg: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(await svgFile(svg).text())}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * svg.clientWidth;
  canvas.height = 2 * svg.clientHeight;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))));
  });
}
