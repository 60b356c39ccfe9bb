// SPDX-License-Identifier: Apache-2.0
/** What a file of a run is compared by. */
export interface ListedFile {
  name: string;
  path: string;
  sha256: string;
  left_out: string | null;
}

/** A file of two runs under one path; null in a run that does not list it. */
export interface FilePair<File extends ListedFile> {
  path: string;
  name: string;
  files: readonly [File | null, File | null];
  differs: boolean;
}

/** The files of two runs by path, those that differ first, each part in the order of the lists. */
export function comparedFiles<File extends ListedFile>(one: readonly File[], other: readonly File[]): FilePair<File>[] {
  const [left, right] = [one, other].map((files) => new Map(files.map((file) => [file.path, file])));
  const paths = new Set([...left!.keys(), ...right!.keys()]);
  const pairs = [...paths].map((path) => pairOf(path, left!.get(path) ?? null, right!.get(path) ?? null));
  return pairs.sort((a, b) => Number(b.differs) - Number(a.differs));
}

/** Whether both runs hold bytes of a file, so that they can be compared line by line. */
export function hasBoth({ files }: FilePair<ListedFile>): boolean {
  return files.every((file) => file !== null && file.left_out === null);
}

function pairOf<File extends ListedFile>(path: string, one: File | null, other: File | null): FilePair<File> {
  const differs = one?.sha256 !== other?.sha256 || one?.left_out !== other?.left_out;
  return { path, name: (one ?? other)!.name, files: [one, other], differs };
}
