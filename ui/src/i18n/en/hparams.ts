// SPDX-License-Identifier: Apache-2.0
export const hparams = {
  "hparams.toolbar": "Settings of the table",
  "hparams.columns": "Columns",
  "hparams.all_columns": "All columns",
  "hparams.different": "Different only",
  "hparams.different_title": "Leave out columns in which all runs agree",
  "hparams.restore_title": "Restore filter, order and columns",
  "hparams.role_parameter": "parameter",
  "hparams.role_metric": "metric",
  "hparams.role_custom": "custom",
  "hparams.column_title": "{role}: {column}",
  "hparams.open": "Open the dashboard of {run}",
  "hparams.empty": "The shown runs hold no hyper-parameters",
  "hparams.empty_how": "SummaryCollector records them by itself; in TensorBoard's logs:",
  "hparams.listed": "{shown} of {total} runs are listed: those that are selected",
  "hparams.no_match": "No run matches the filter",
  "hparams.no_columns": "All shown runs agree in every column",
} as const;
