// SPDX-License-Identifier: Apache-2.0
// Puts what was built in the place of what is served, at once: a page that is opened meanwhile finds one or the other,
// and a build that fails leaves what was there.
import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const BUILT = "dist/built";
const BEFORE = "dist/before";
const SERVED = "../src/mindscope/server/web";
const FONT = "node_modules/@fontsource-variable/inter";

// Vite collects the licenses of code; the font is a file.
const { name, version, license } = JSON.parse(readFileSync(`${FONT}/package.json`, "utf-8"));
const text = readFileSync(`${FONT}/LICENSE`, "utf-8").trim();
appendFileSync(`${BUILT}/licenses.md`, `\n## ${name} - ${version} (${license})\n\n${text}\n`);

// The server sends these to browsers that take them: smaller than what it could compress while one waits.
const SMALLEST_BYTES = 2048;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
for (const file of readdirSync(BUILT, { recursive: true })) {
  if (!/\.(css|html|js|svg)$/.test(file)) continue;
  const bytes = readFileSync(`${BUILT}/${file}`);
  if (bytes.length < SMALLEST_BYTES) continue;
  writeFileSync(`${BUILT}/${file}.br`, brotliCompressSync(bytes, brotli));
  writeFileSync(`${BUILT}/${file}.gz`, gzipSync(bytes, { level: 9 }));
}

rmSync(BEFORE, { recursive: true, force: true });
if (existsSync(SERVED)) renameSync(SERVED, BEFORE);
renameSync(BUILT, SERVED);
rmSync(BEFORE, { recursive: true, force: true });
