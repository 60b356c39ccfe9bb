// SPDX-License-Identifier: Apache-2.0
export const hparams = {
  "hparams.toolbar": "Table settings",
  "hparams.columns": "Columns",
  "hparams.all_columns": "All columns",
  "hparams.different": "Different only",
  "hparams.different_title": "Hide columns that are equal in all runs",
  "hparams.restore_title": "Reset filter, order and columns",
  "hparams.role_parameter": "parameter",
  "hparams.role_metric": "metric",
  "hparams.role_custom": "custom",
  "hparams.column_title": "{role}: {column}",
  "hparams.open": "Open the dashboard of {run}",
  "hparams.empty": "No hyperparameters in the selected runs",
  "hparams.empty_how": "SummaryCollector records them automatically; in TensorBoard logs:",
  "hparams.listed": "{shown} of {total} runs: only the selected ones",
  "hparams.no_match": "No runs match the filter",
  "hparams.no_columns": "All selected runs are equal in every column",
} as const;
