// SPDX-License-Identifier: Apache-2.0
import catalog from "../../../../src/mindscope/texts/en/errors.json";
import { errorTexts } from "../errorTexts";

export const errors = {
  "error.unreachable": "The server does not answer",
  "error.unreachable_remedy": "Check that “mindscope start” is still running. The page reconnects automatically.",
  "error.retry": "Try again",
  "error.no_page": "There is no page at {path}",
  "error.no_page_how": "The address may be mistyped or from another version.",
  "error.page": "This page crashed",
  "error.page_code": "Could not load the code of this page",
  "error.reload": "Reload the page",
  "error.runs": "Could not load the list of runs",
  "error.tags": "Could not load the tags",
  "error.curves": "Could not load the curve",
  "error.export": "The download failed",
  "error.damages": "Could not load the list of damages",
  ...errorTexts(catalog),
} as const;
