// SPDX-License-Identifier: Apache-2.0
// Puts what was built in the place of what is served, at once: a page that is opened meanwhile finds one or the other,
// and a build that fails leaves what was there.
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync } from "node:fs";

const BUILT = "dist/built";
const BEFORE = "dist/before";
const SERVED = "../src/mindscope/server/web";
const FONT = "node_modules/@fontsource-variable/inter";

// Vite collects the licenses of code; the font is a file.
const { name, version, license } = JSON.parse(readFileSync(`${FONT}/package.json`, "utf-8"));
const text = readFileSync(`${FONT}/LICENSE`, "utf-8").trim();
appendFileSync(`${BUILT}/licenses.md`, `\n## ${name} - ${version} (${license})\n\n${text}\n`);

rmSync(BEFORE, { recursive: true, force: true });
if (existsSync(SERVED)) renameSync(SERVED, BEFORE);
renameSync(BUILT, SERVED);
rmSync(BEFORE, { recursive: true, force: true });
