// SPDX-License-Identifier: Apache-2.0
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** The browser of the component tests: the same one as in tests/browser/chromium.py. */
export function chromium() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program))).find(existsSync);
}
