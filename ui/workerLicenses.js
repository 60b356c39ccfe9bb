// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

export const LICENSES = "licenses.md";
/** Directories of the packages whose code is in workers, of which `build.license` knows nothing. */
const packages = new Set();

/** Notes the packages of a worker. */
export const workerCode = {
  name: "worker-code",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle)) {
      for (const id of file.type === "chunk" ? file.moduleIds : []) {
        const [directory] = /\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
        if (directory) packages.add(directory);
      }
    }
  },
};

/** Adds these packages to the licenses. */
export const workerLicenses = {
  name: "worker-licenses",
  writeBundle({ dir }) {
    const path = `${dir}/${LICENSES}`;
    let text = readFileSync(path, "utf8");
    for (const directory of [...packages].sort()) {
      const { name, version, license } = JSON.parse(readFileSync(`${directory}/package.json`, "utf8"));
      const file = readdirSync(directory).find((entry) => /^licen[cs]e/i.test(entry));
      const head = `## ${name} - `;
      if (!text.includes(head)) text += `\n${head}${version} (${license})\n\n${file ? readFileSync(`${directory}/${file}`, "utf8") : ""}\n`;
    }
    writeFileSync(path, text);
  },
};
