// SPDX-License-Identifier: Apache-2.0
const PATH = /^(?:.*[\\/])(?=[^\\/]*\(\d+\))/;

/** A frame of a stack without the directories of its file: `model.py(3): forward`. */
export function shortFrame(frame: string): string {
  return frame.replace(PATH, "");
}

const FRAME = /^(?<file>.*?)(?:\((?<line>\d+)\))?: (?<name>[^:]*)$/;

/** The function of a frame, and the file with the line: `decode` and `train.py:12`. */
export function frameParts(frame: string): { name: string; place: string } {
  const { file, line, name } = FRAME.exec(frame)?.groups ?? {};
  if (name === undefined || file === undefined) return { name: frame, place: "" };
  return { name, place: line === undefined ? file : `${file}:${line}` };
}
