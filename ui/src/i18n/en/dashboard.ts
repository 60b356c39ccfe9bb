// SPDX-License-Identifier: Apache-2.0
export const dashboard = {
  "dashboard.run": "Run",
  "dashboard.how": "Nothing recorded yet. In the training script:",
  "dashboard.coming": "page to come",
  "dashboard.coming_title": "The data is read and kept; a page for it comes with a later version",
  "dashboard.distributions": "Parameter distribution",
  "dashboard.graph": "Computational graph",
  "dashboard.graph_label": "Outermost scopes of the graph of {run}",
  "dashboard.nodes": "{nodes} {n|node|nodes}",
  "dashboard.pipeline": "Dataset graph",
  "dashboard.stages": "{n} {n|stage|stages}",
  "dashboard.landscape": "Loss landscape",
  "dashboard.landscape_label": "Loss landscape of {run} from above, with the path of the training",
  "dashboard.profile": "Profiling",
  "dashboard.profile_how": "Profiles can't be shown yet. A page for what profilers write comes with a later version:",
} as const;
