// SPDX-License-Identifier: Apache-2.0
/** Runs a layout outside of the browser: reads a job from a file, writes the places to another. */
import { readFileSync, writeFileSync } from "node:fs";

import { advance, layoutOf } from "../../ui/src/state/data/runLayout";

const [from, to] = process.argv.slice(2) as [string, string];
const { count, neighbors, distances, initial, ...job } = JSON.parse(readFileSync(from, "utf8"));
const graph = { count, neighbors: Int32Array.from(neighbors), distances: Float32Array.from(distances) };
const layout = layoutOf({ ...job, graph, initial: Float32Array.from(initial) });
const began = performance.now();
const { places } = advance(layout, Infinity);
writeFileSync(to, JSON.stringify({ places: Array.from(places), seconds: (performance.now() - began) / 1000 }));
