// SPDX-License-Identifier: Apache-2.0
import { fetchFileText, fetchRunFiles, type FileQuery, type FileText, type RunFileList } from "../../api/files";
import type { ResourceDefinition } from "../requests/resourceCache";

export { addressOfFile, fetchRunFiles } from "../../api/files";
export type { RunFile, RunFileList } from "../../api/files";

/** The files that recorders kept in a run. */
export const runFiles: ResourceDefinition<string, RunFileList> = {
  kind: "run_files",
  read: fetchRunFiles,
  runs: (run) => [run],
  keepsValue: () => false,
};

export const fileText: ResourceDefinition<FileQuery, FileText> = {
  kind: "file_text",
  read: fetchFileText,
  runs: ({ run }) => [run],
  keepsValue: (previous, next) => previous.run === next.run && previous.path === next.path,
};

/** A file of two runs: the lines that differ, or why they are not there. */
export interface FileDifference {
  patch: string | null;
  reason: "no_text" | "too_different" | null;
  isCut: boolean;
}

export interface DifferenceQuery {
  pair: readonly [string, string];
  path: string;
}

/** Texts that share few lines take long to compare; a MiB of code that shares some takes milliseconds. */
const DIFFERENCE_MS = 500;

/** The lines in which a file of two runs differs, as a unified difference with three lines around. */
export const fileDifference: ResourceDefinition<DifferenceQuery, FileDifference> = {
  kind: "file_difference",
  read: async ({ pair, path }, signal) => {
    const [one, other] = await Promise.all(pair.map((run) => fetchFileText({ run, path }, signal)));
    return differenceOf(pair, path, one!, other!);
  },
  runs: ({ pair }) => [...pair],
  keepsValue: () => false,
};

async function differenceOf(pair: readonly [string, string], path: string, one: FileText, other: FileText): Promise<FileDifference> {
  const isCut = one.is_cut || other.is_cut;
  if (one.text === null || other.text === null) return { patch: null, reason: "no_text", isCut };
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const [left, right] = pair.map((run) => `${run}/${path}`);
  const options = { context: 3, timeout: DIFFERENCE_MS, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(left!, right!, one.text, other.text, "", "", options) ?? null;
  return { patch, reason: patch === null ? "too_different" : null, isCut };
}
