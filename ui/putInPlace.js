// SPDX-License-Identifier: Apache-2.0
// Puts what was built in the place of what is served, at once: a page that is opened meanwhile finds one or the other,
// and a build that fails leaves what was there.
import { existsSync, renameSync, rmSync } from "node:fs";

const BUILT = "dist/built";
const BEFORE = "dist/before";
const SERVED = "../src/mindscope/server/web";

rmSync(BEFORE, { recursive: true, force: true });
if (existsSync(SERVED)) renameSync(SERVED, BEFORE);
renameSync(BUILT, SERVED);
rmSync(BEFORE, { recursive: true, force: true });
