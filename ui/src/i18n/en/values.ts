// SPDX-License-Identifier: Apache-2.0
export const values = {
  "nav.tensors": "Tensors",
  "nav.texts": "Texts",
  "nav.audio": "Audio",
  "nav.prcurves": "PR curves",
  "nav.hparams": "Parameters",
  "nav.dashboard": "Dashboard",
  "values.step_all": "Step of all cards",
  "values.none": "No values yet",
  "values.panels": "Runs side by side",
  "values.restore_title": "Restore filter, step and view",
  "values.empty_how": "Record one from your training script:",
  "values.elsewhere": "{n} {n|run|runs} that {n|is|are} not shown {n|holds|hold} some.",
  "values.show_those": "Show {n|it|them}",
} as const;
