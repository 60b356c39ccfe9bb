// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";

import { ROUTES } from "./routes";
import type { ContentKind } from "../core/runs/runTable";
import { firstPage } from "../pages/frame/route";

const content = (kind: ContentKind) => ({ kind, name: "a", count: 1 });

describe("the page that opens with a run", () => {
  test.each([
    ["/scalars", { tags: { scalar: 1, image: 2 } }],
    ["/dashboard", { tags: { hparams: 1 } }],
    ["/media", { tags: { image: 2 } }],
    ["/media", { tags: { text: 1 } }],
    ["/graph", { tags: {}, contents: [content("graph_file")] }],
    ["/profile", { tags: {}, contents: [content("torch_profile")] }],
    ["/debugger", { tags: {}, contents: [content("mindspore_dump")] }],
    ["/embeddings", { tags: {}, contents: [content("embedding")] }],
    ["/logs", { tags: {}, contents: [content("log_file")] }],
    ["/scalars", { tags: {}, contents: [content("running_data")] }],
    ["/scalars", { tags: {} }],
  ])("is %s", (path, run) => {
    expect(firstPage(ROUTES, run)).toBe(path);
  });
});
