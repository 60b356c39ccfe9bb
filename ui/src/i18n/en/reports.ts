// SPDX-License-Identifier: Apache-2.0
export const reports = {
  "nav.reports": "Reports",
  "reports.add": "Add to report",
  "reports.add_page": "Add page to report",
  "reports.new": "New report",
  "reports.untitled": "Untitled report",
  "reports.added": "Added to {title}",
  "reports.open": "Open report",
  "reports.failed": "Could not save the report",
};
