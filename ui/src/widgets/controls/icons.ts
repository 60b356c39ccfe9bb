// SPDX-License-Identifier: Apache-2.0
/** Line drawings on a 16 x 16 grid, 1.4 px strokes, round caps. */
export const ICONS = {
  runs: "M2.5 4h11M2.5 8h11M2.5 12h7",
  letters: "M2 12.5 5.3 3.5h.4L9 12.5M3.2 9.5h4.6M11.8 12.5a2 2 0 1 1 0-4 2 2 0 0 1 0 4ZM13.8 8.4v4.1",
  keyboard: "M1.8 4h12.4v8H1.8ZM4.2 6.6v.1M6.7 6.6v.1M9.3 6.6v.1M11.8 6.6v.1M5 9.4h6",
  dashboard: "M2.5 2.5h4.6v4.6H2.5ZM8.9 2.5h4.6v4.6H8.9ZM2.5 8.9h4.6v4.6H2.5ZM8.9 8.9h4.6v4.6H8.9Z",
  pipeline: "M2.5 2.5h5v3h-5ZM5.5 6.5h5v3h-5ZM8.5 10.5h5v3h-5ZM3.8 5.5V8h1.7M6.8 9.5V12h1.7",
  graph: "M6 2.5h4v3H6ZM2.5 10.5h4v3h-4ZM9.5 10.5h4v3h-4ZM8 5.5v2.5M4.5 10.5V8h7v2.5",
  landscape: "M2 12.5c2.2 0 3-7 4.6-7s1.6 4 3 4 1.5-2.5 2.4-2.5 1.2 5.5 2 5.5M2 13.5h12",
  contrast: "M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM8 2.5v11M10 4v8M12 5.5v5",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.4 10.4l3.1 3.1",
  close: "M4 4l8 8M12 4l-8 8",
  link: "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2-2a2.6 2.6 0 0 0-3.7-3.7l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0l-2 2a2.6 2.6 0 0 0 3.7 3.7l.9-.9",
  bookmark: "M4 2.5h8v11L8 10.6 4 13.5Z",
  pin: "M6 2.5h4M6.6 2.5v4L4.5 9v1h7V9L9.4 6.5v-4M8 10v3.5",
  pinned: "M6 2.5h4M6.6 2.5v4L4.5 9v1h7V9L9.4 6.5v-4M8 10v3.5",
  full: "M9.5 2.5h4v4M6.5 13.5h-4v-4M13.2 2.8 9 7M2.8 13.2 7 9",
  shrink: "M13 7H9V3M3 9h4v4M9 7l4-4M7 9l-4 4",
  back: "M6 4.5 2.8 7.7 6 11M3 7.7h6.2a3.6 3.6 0 0 1 0 7.2",
  loop: "M11 1.5 13.5 4 11 6.5M2.5 7.5V6a2 2 0 0 1 2-2h9M5 9.5 2.5 12 5 14.5M13.5 8.5V10a2 2 0 0 1-2 2h-9",
  restore: "M3 8a5 5 0 1 0 1.6-3.7M3 2.5v2.8h2.8",
  download: "M8 2.5v7.4M4.9 7 8 10.1 11.1 7M2.8 13.2h10.4",
  log: "M2.5 2.5v11h11M4.8 11.5C8 11 11 9 12.8 3.5",
  left: "M10 4 6 8l4 4",
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
  settings:
    "M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4ZM6 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Z",
  pairs: "M2.5 2.5v11h11M5 4.5c1.5 5 4 6 8 6M5 2.5c2 4 4.500 5 8 5",
  compose: "M2.5 2.5v11h11M5 11 7.5 5.5 10 9l3-5.5M5 6.5l8 4",
  remove: "M3.5 8h9",
  bell: "M8 2.5a3.7 3.7 0 0 0-3.7 3.7c0 3-1.3 4.3-1.3 4.3h10s-1.3-1.3-1.3-4.3A3.7 3.7 0 0 0 8 2.5ZM6.7 12.8a1.4 1.4 0 0 0 2.6 0",
  tag: "M2.5 3v4.6l5.9 5.9 5-5-5.9-5.5ZM5.4 5.6v.1",
  note: "M3 2.5h10v8l-3 3H3ZM10 13.5v-3h3M5.4 5.5h5.2M5.4 8h3.4",
  archive: "M2.5 3h11v3h-11ZM3.5 6v7h9V6M6.4 8.5h3.2",
  delete: "M3 4.5h10M6 4.5v-2h4v2M4.3 4.5l.6 9h6.2l.6-9M6.7 7v4M9.3 7v4",
  export: "M9.5 2.5h4v4M13.2 2.8 8 8M12 9.5v4H2.5V4h4",
  threshold: "M2.5 2.5v11h11M4.5 7h1.6M7.6 7h1.6M10.7 7h1.6M4.5 11l3-2 2.4 1.4 3-4.9",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  mute: "M3 10.5s1.3-1.3 1.3-4.3a3.7 3.7 0 0 1 5.2-3.4M11.6 5.4c.2 3.8 1.4 5.1 1.4 5.1H6.2M6.7 12.8a1.4 1.4 0 0 0 2.6 0M2.5 13.5l11-11",
  sizes: "M2.5 2.5h4v4h-4ZM2.5 9.5h4v4h-4ZM9.5 2.5h4v11h-4Z",
  groups: "M2.5 4h5M5 8h8.5M5 12h8.5M2.5 4v8M2.5 8H5M2.5 12H5",
} as const;

export type IconName = keyof typeof ICONS;
/** An icon of the table, or the path of another one. */
export type IconSource = IconName | `M${string}`;

export function iconPath(icon: IconSource): string {
  return Object.hasOwn(ICONS, icon) ? ICONS[icon as IconName] : icon;
}
