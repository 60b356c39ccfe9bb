// SPDX-License-Identifier: Apache-2.0
export const errors = {
  "error.unreachable": "The server does not answer",
  "error.unreachable_remedy": "Check that “mindscope start” is still running. The page goes on by itself when it is back.",
  "error.retry": "Try again",
  "error.page": "This page failed",
  "error.page_code": "The code of this page could not be fetched",
  "error.reload": "Load the page again",
  "error.runs": "The list of runs could not be read",
  "error.tags": "The tags could not be read",
  "error.curves": "The curve could not be read",
  "error.export": "The download failed",
  "error.damages": "The damages could not be read",
} as const;
