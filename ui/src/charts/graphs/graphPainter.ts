// SPDX-License-Identifier: Apache-2.0
import { visibleArea } from "../../core/graphs/view/transition";
import { visibleParts } from "../../core/graphs/view/visibleParts";
import type { GraphPicture } from "../../core/graphs/view/graphPicture";
import type { Picture } from "../frame/picture";
import type { Size } from "../frame/plotFrame";
import type { Ink, Surface } from "../frame/surface";
import type { GraphLook, GraphPainting } from "./graphPainting";
import { paintBoxes, paintBoxLabels, paintFrames, paintLeafPorts, paintMarks, paintTitles } from "./paintBoxes";
import { paintEdgeLabels, paintEdges } from "./paintEdges";

/** Paints what the screen shows of a graph, on a canvas or as SVG; edges lie over open scopes and under boxes. */
export function paintGraph(painting: GraphPainting): void {
  paintFrames(painting);
  paintEdges(painting);
  paintBoxes(painting);
  paintLeafPorts(painting);
  paintMarks(painting);
  paintEdgeLabels(painting);
  paintBoxLabels(painting);
  paintTitles(painting);
}

/** Paints the part of a picture that a screen shows. */
export function paintGraphArea(
  surface: Surface,
  ink: Ink,
  picture: GraphPicture,
  transform: GraphPainting["transform"],
  { width, height }: Size,
  look: GraphLook,
): void {
  const parts = visibleParts(picture, visibleArea(transform, width, height), transform.scale);
  paintGraph({ surface, ink, picture, parts, transform, look });
}

/** The whole graph as it is open, to be saved as a file. */
export function wholeGraphPicture(title: string, picture: GraphPicture, look: GraphLook): Picture {
  const size = { width: Math.ceil(picture.root.layout.width), height: Math.ceil(picture.root.layout.height) };
  return { title, size, paint: (surface, _ratio, ink) => paintGraphArea(surface, ink, picture, { x: 0, y: 0, scale: 1 }, size, look) };
}
