// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";

import { generatedModel } from "../../core/graphs/model/generatedGraph";
import { buildScopeTree, itemLabel } from "../../core/graphs/model/scopeTree";
import { DEFAULT_GRAPH_OPTIONS } from "../../core/graphs/view/graphOptions";
import { GraphPictures } from "../../core/graphs/view/graphPicture";
import { ThemeColors } from "../frame/themeColors";
import { paintGraphArea } from "./graphPainter";
import type { GraphLook } from "./graphPainting";
import "../../styles/tokens.css";

it("paints the same boxes on a canvas at every zoom level", () => {
  const structure = generatedModel(1000);
  const tree = buildScopeTree(structure);
  const picture = new GraphPictures(tree, DEFAULT_GRAPH_OPTIONS).picture({ open: new Set([1]), unfolded: new Set() });
  const colors = new ThemeColors(document.body);
  const look: GraphLook = {
    label: (item) => itemLabel(tree, item),
    rows: () => [],
    ports: () => 0,
    color: () => "rgb(255, 0, 0)",
    badge: () => "",
    selected: -1,
    isHit: () => false,
    highlight: null,
  };
  for (const scale of [0.25, 1, 3]) {
    const canvas = document.createElement("canvas");
    const size = { width: 2000, height: 2000 };
    Object.assign(canvas, size);
    const ctx = canvas.getContext("2d", { willReadFrequently: true })!;
    paintGraphArea(ctx, (color) => colors.resolve(color), picture, { x: 0, y: 0, scale }, size, look);
    const { x, y, width, height } = picture.frames.get(1)!.layout.boxes;
    const outer = picture.root.layout.boxes;
    const last = x.length - 1;
    const left = (outer.x[0]! + x[last]! + width[last]! * 0.86) * scale;
    const top = (outer.y[0]! + y[last]! + height[last]! / 2) * scale;
    const at = ctx.getImageData(left, top, 1, 1).data;
    expect([...at.slice(0, 3)], `at scale ${scale}`).toEqual([255, 0, 0]);
  }
  colors.remove();
});
