// SPDX-License-Identifier: Apache-2.0
const PATH = /^(?:.*[\\/])(?=[^\\/]*\(\d+\))/;

/** A frame of a stack without the directories of its file: `model.py(3): forward`. */
export function shortFrame(frame: string): string {
  return frame.replace(PATH, "");
}
