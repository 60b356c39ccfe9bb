// SPDX-License-Identifier: Apache-2.0
export const values = {
  "nav.tensors": "Tensors",
  "nav.texts": "Texts",
  "nav.audio": "Audio",
  "nav.prcurves": "PR curves",
  "nav.embeddings": "Embeddings",
  "nav.projector": "Projector",
  "nav.dashboard": "Dashboard",
  "values.step_all": "Step of all cards",
  "values.none": "No data yet",
  "values.panels": "Runs side by side",
  "values.restore_title": "Reset filter, step and view",
  "values.empty_how": "Record one from your training script:",
  "values.elsewhere": "{n} {n|run|runs} outside the selection {n|has|have} some.",
  "values.show_those": "Show {n|it|them}",
  "values.show_weight": "Show the weight in the graph",
} as const;
