// SPDX-License-Identifier: Apache-2.0
/** Line drawings on a 16 x 16 grid, 1.4 px strokes, round caps. */
export const ICONS = {
  runs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  scalars: "M2.5 2.5v11h11M5 10.5c1.2 0 1.6-5 3-5s1.6 3 2.6 3S12 5.5 13.5 4.5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4l3.1 3.1",
  close: "M4 4l8 8M12 4l-8 8",
  pin: "M6 2.5h4M6.6 2.5v4L4.5 9v1h7V9L9.4 6.5v-4M8 10v3.5",
  pinned: "M6 2.5h4M6.6 2.5v4L4.5 9v1h7V9L9.4 6.5v-4M8 10v3.5",
  full: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.2 2.8 9 7M2.8 13.2 7 9",
  shrink: "M13 7H9V3M3 9h4v4M9 7l4-4M7 9l-4 4",
  back: "M6 4.5 2.8 7.7 6 11M3 7.7h6.2a3.6 3.6 0 0 1 0 7.2",
  restore: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v2.8h2.8",
  download: "M8 2.5v7.4M4.9 7 8 10.1 11.1 7M2.8 13.2h10.4",
  log: "M2.5 2.5v11h11M4.8 11.5C8 11 11 9 12.8 3.5",
  chevron: "M6 4l4 4-4 4",
  down: "M4 6l4 4 4-4",
  up: "M4 10l4-4 4 4",
  warning: "M8 2.6 14.2 13.2H1.8ZM8 6.6v3.2M8 11.5v.1",
  pause: "M5.6 3.5v9M10.4 3.5v9",
  play: "M5 3.2v9.6l7.6-4.8Z",
  sun: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M12.5 3.5l-.8.8M4.3 11.7l-.8.8",
  moon: "M13 9.4A5.4 5.4 0 0 1 6.6 3 5.4 5.4 0 1 0 13 9.4Z",
  screen: "M2.5 3.2h11v7.6h-11ZM6 13.4h4M8 10.8v2.6",
  panel: "M2.5 3h11v10h-11ZM6.2 3v10",
  check: "M3.2 8.4 6.4 11.6 12.8 4.8",
  sort: "M5 3v10M2.8 10.8 5 13l2.2-2.2M11 13V3M8.8 5.2 11 3l2.2 2.2",
  language: "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12ZM2 8h12M8 2c2 1.8 2.6 3.8 2.6 6S10 12.2 8 14c-2-1.8-2.6-3.8-2.6-6S6 3.8 8 2Z",
} as const;

export type IconName = keyof typeof ICONS;
