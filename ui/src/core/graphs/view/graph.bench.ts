// SPDX-License-Identifier: Apache-2.0
import { bench, describe } from "vitest";

import { buildAdjacency } from "../model/adjacency";
import { generatedModel } from "../model/generatedGraph";
import { criticalPath } from "../model/paths";
import { buildScopeTree } from "../model/scopeTree";
import { GraphSearch, MATCH_ANY } from "../model/search";
import { DEFAULT_GRAPH_OPTIONS } from "./graphOptions";
import { GraphPictures, type GraphPicture } from "./graphPicture";
import { visibleParts } from "./visibleParts";

const ROUNDS = 7;
const options = { iterations: ROUNDS, time: 0, warmupIterations: 1, warmupTime: 0 };
const picture = (pictures: GraphPictures, ...open: number[]): GraphPicture =>
  pictures.picture({ open: new Set(open), unfolded: new Set() });

for (const size of [1000, 10_000, 100_000, 200_000])
  describe(`graph of ${size} nodes`, () => {
    const structure = generatedModel(size);
    const { texts, scope_label } = structure;
    const scope = (name: string): number => scope_label.findIndex((label) => texts[label] === name);
    const network = scope("network");
    const build = (): GraphPictures => new GraphPictures(buildScopeTree(structure), DEFAULT_GRAPH_OPTIONS, buildAdjacency(structure));

    bench("index", () => void build(), options);
    bench("index and first view", () => void picture(build(), network), options);
    for (const name of ["wide_100", "wide_1000"].filter((wide) => scope(wide) >= 0)) {
      const before = Array.from({ length: ROUNDS + 5 }, build);
      for (const pictures of before) picture(pictures, network);
      bench(`open ${name}`, () => void picture(before.pop()!, network, scope(name)), options);
    }

    const tree = buildScopeTree(structure);
    const search = new GraphSearch(tree);
    for (const text of ["matmul", "layers/3/stage_1", "op1"])
      bench(`search ${text}`, () => void search.search({ text, isRegex: false, fields: MATCH_ANY }), options);
    bench("search by regular expression", () => void search.search({ text: "op\\d+5$", isRegex: true, fields: MATCH_ANY }), options);
    bench("critical path", () => void criticalPath(structure, structure.flops), options);

    const all = { open: new Set(structure.scope_parent.keys()), unfolded: new Set<number>() };
    const whole = new GraphPictures(tree, { ...DEFAULT_GRAPH_OPTIONS, stackFrom: Infinity }).picture(all, true);
    const { width, height } = whole.root.layout;
    const middle = { left: width / 2, top: height / 2, right: width / 2 + 14_400, bottom: height / 2 + 9000 };
    bench("find what is visible with everything open", () => void visibleParts(whole, middle, 0.1), options);
  });
