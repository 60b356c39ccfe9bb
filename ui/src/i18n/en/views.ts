// SPDX-License-Identifier: Apache-2.0
export const views = {
  "views.open": "Views",
  "views.title": "Saved views",
  "views.name": "Name",
  "views.save": "Save view",
  "views.replace": "Replace view",
  "views.how": "A view stores the page, runs, filters, zooms and composed charts. Everyone who opens this base directory sees it.",
  "views.none": "No saved views",
  "views.copy": "Copy link to {title}",
  "views.copied": "Link copied",
  "views.set_start": "Set {title} as start page",
  "views.unset_start": "{title} is the start page. Unset it",
  "views.delete": "Delete {title}",
  "views.start": "Start page",
};
