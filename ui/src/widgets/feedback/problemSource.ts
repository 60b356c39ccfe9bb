// SPDX-License-Identifier: Apache-2.0
/** What is read from the server and may fail, such as a `Resource`. */
export interface ProblemSource {
  readonly problem: { readonly what: string; readonly remedy: string; readonly isUnreachable: boolean } | null;
  /** Reads again after a problem. */
  retry(): void;
}
