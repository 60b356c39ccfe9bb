// SPDX-License-Identifier: Apache-2.0
// Properties try the same examples every time, so that a change fails by its own fault. `make fuzz` tries new ones.
import fc from "fast-check";

const examples = Number(process.env.MINDSCOPE_EXAMPLES ?? 100);
fc.configureGlobal(process.env.MINDSCOPE_RANDOM === undefined ? { seed: 1, numRuns: 100 } : { numRuns: examples });
