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
