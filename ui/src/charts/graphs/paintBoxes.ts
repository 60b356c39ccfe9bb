// SPDX-License-Identifier: Apache-2.0
import { SPACING } from "../../core/graphs/layout/layoutInput";
import { BOX, cutLabel, ROW_FONT_SHARE, textWidth } from "../../core/graphs/view/boxSize";
import { ONLY_CUT } from "../../core/text/cutMiddle";
import { boxRect, FADED, LEAST_FONT, type BoxRect, type GraphPainting } from "./graphPainting";

const FONT_SIZE = 12;
const LARGEST_FONT = 20;
/** Labels keep this size while their box shrinks, as long as they fit. */
const STEADY_FONT = 9;
const STEADY_ROW_FONT = 8;
const INSET = 8;
const FRAME_OPACITY = 0.035;
const LEAST_TITLE = { width: 48, height: 22 };
const STACK_OFFSET = 3;
const PORT_SIZE = 5;
const LEAST_PORT = 2;
/** Keeps names apart from the edges under them. */
const HALO = 3;

const font = (size: number, weight = 400): string => `${weight} ${size}px "Inter Variable", system-ui, sans-serif`;

/** Open scopes, outer ones first: each is a little darker than the one around it. */
export function paintFrames(painting: GraphPainting): void {
  const { surface, ink, parts } = painting;
  surface.save();
  for (let index = 0; index < parts.box.length; index++) {
    if (!parts.isOpen[index]) continue;
    const { x, y, width, height } = boxRect(painting, index);
    surface.globalAlpha = FRAME_OPACITY;
    surface.fillStyle = ink("var(--ink)");
    surface.fillRect(x, y, width, height);
    surface.globalAlpha = 1;
    surface.strokeStyle = ink("var(--outline)");
    surface.beginPath();
    surface.rect(x, y, width, height);
    surface.stroke();
  }
  surface.restore();
}

/** Closed boxes: those of one fill in one path. */
export function paintBoxes(painting: GraphPainting): void {
  const { surface, ink, parts, look, picture } = painting;
  const fills = new Map<string, BoxRect[]>();
  for (let index = 0; index < parts.box.length; index++) {
    if (parts.isOpen[index]) continue;
    const rect = boxRect(painting, index);
    const isScope = rect.item < picture.tree.scopeCount && !look.isOperation?.(rect.item);
    const color = look.color(rect.item) ?? (isScope ? "var(--accent-wash)" : "var(--paper-raised)");
    const key = `${look.highlight === null || look.highlight.box(rect.item) ? 1 : 0}${color}`;
    const group = fills.get(key);
    if (group) group.push(rect);
    else fills.set(key, [rect]);
    const { items } = parts.frames[parts.boxFrame[index]!]!;
    if (items.stackSize[parts.box[index]!]! > 1) paintStack(painting, rect);
  }
  surface.save();
  for (const [key, rects] of fills) {
    surface.globalAlpha = key.startsWith("1") ? 1 : FADED;
    surface.fillStyle = ink(key.slice(1));
    surface.strokeStyle = ink("var(--outline)");
    surface.beginPath();
    for (const { x, y, width, height } of rects) surface.rect(x, y, width, height);
    surface.fill();
    if (painting.transform.scale > 0.2) surface.stroke();
  }
  surface.restore();
}

/** The edges of the sheets under a folded stack. */
function paintStack({ surface, ink, transform }: GraphPainting, { x, y, width, height }: BoxRect): void {
  surface.strokeStyle = ink("var(--outline)");
  surface.fillStyle = ink("var(--accent-wash)");
  for (const sheet of [2, 1]) {
    const offset = sheet * STACK_OFFSET * transform.scale;
    surface.beginPath();
    surface.rect(x + offset, y + offset, width, height);
    surface.fill();
    surface.stroke();
  }
}

/** Marks at the left of boxes for the parameters and constants that are ports, up to what has room. */
export function paintLeafPorts(painting: GraphPainting): void {
  const { surface, ink, parts, look, transform } = painting;
  const size = PORT_SIZE * transform.scale;
  if (size < LEAST_PORT) return;
  surface.fillStyle = ink("var(--series-2)");
  surface.beginPath();
  for (let index = 0; index < parts.box.length; index++) {
    if (parts.isOpen[index]) continue;
    const { item, x, y, height } = boxRect(painting, index);
    const ports = Math.min(look.ports(item), BOX.mostRows);
    for (let port = 0; port < ports; port++) surface.rect(x - size, y + ((port + 1) * height) / (ports + 1) - size / 2, size, size);
  }
  surface.fill();
}

/** The box that is selected, and those that a search found. */
export function paintMarks(painting: GraphPainting): void {
  const { surface, ink, parts, look } = painting;
  surface.save();
  surface.lineWidth = 2;
  for (const [color, isMarked] of [
    ["var(--warn)", look.isHit],
    ["var(--accent)", (item: number) => item === look.selected],
  ] as const) {
    surface.strokeStyle = ink(color);
    surface.beginPath();
    for (let index = 0; index < parts.box.length; index++) {
      const { item, x, y, width, height } = boxRect(painting, index);
      if (isMarked(item)) surface.rect(x, y, width, height);
    }
    surface.stroke();
  }
  surface.restore();
}

/** Names, rows and marks of the boxes where letters are large enough to read. */
export function paintBoxLabels(painting: GraphPainting): void {
  const { surface, ink, parts, look, picture, transform } = painting;
  surface.save();
  surface.fillStyle = ink("var(--ink)");
  surface.textBaseline = "middle";
  for (let index = 0; index < parts.box.length; index++) {
    if (parts.isOpen[index]) continue;
    const rect = boxRect(painting, index);
    const rows = look.rows(rect.item);
    const shownRows = Math.min(rows.length, BOX.mostRows);
    const nameHeight = rect.height - shownRows * BOX.rowHeight * transform.scale;
    const { stackSize } = parts.frames[parts.boxFrame[index]!]!.items;
    const count = stackSize[parts.box[index]!]!;
    const mark = look.badge(rect.item) || (count > 1 ? `×${count}` : "");
    const opens = rect.item < picture.tree.scopeCount && (count > 1 || !look.isOperation?.(rect.item));
    const badge = opens ? `${mark} +`.trim() : mark;
    const inset = INSET * transform.scale;
    const label = look.label(rect.item);
    const letters = textWidth(label) + textWidth(badge);
    const room = rect.width - (badge === "" ? 2 : 3) * inset;
    const size = labelSize(transform.scale, nameHeight, (room * FONT_SIZE) / letters);
    if (size < LEAST_FONT) continue;
    surface.font = font(size);
    paintText(painting, label, rect.x + inset, rect.y + nameHeight / 2, room - (textWidth(badge) * size) / FONT_SIZE, size);
    if (badge !== "") paintBadge(painting, badge, rect.x + rect.width - inset, rect.y + nameHeight / 2);
    if (shownRows > 0) paintRows(painting, rect, rows, nameHeight);
  }
  surface.restore();
}

/** Letters grow with the box. While it shrinks they stay readable as long as the whole name fits. */
function labelSize(scale: number, height: number, fitting: number): number {
  const size = Math.max(FONT_SIZE * scale, Math.min(STEADY_FONT, height - 2, fitting));
  return Math.floor(2 * Math.min(size, LARGEST_FONT)) / 2;
}

function paintText({ surface }: GraphPainting, text: string, x: number, y: number, room: number, size: number): void {
  const cut = cutLabel(text, (room * FONT_SIZE) / size);
  if (cut !== ONLY_CUT) surface.fillText(cut, x, y);
}

function paintBadge({ surface, ink }: GraphPainting, badge: string, right: number, y: number): void {
  surface.textAlign = "right";
  surface.fillStyle = ink("var(--ink-soft)");
  surface.fillText(badge, right, y);
  surface.textAlign = "left";
  surface.fillStyle = ink("var(--ink)");
}

function paintRows(painting: GraphPainting, { x, y, width }: BoxRect, rows: readonly string[], nameHeight: number): void {
  const { surface, ink, transform } = painting;
  const inset = INSET * transform.scale;
  const widest = rows.slice(0, BOX.mostRows).reduce((most, row) => Math.max(most, textWidth(row)), 1);
  const inWidth = Math.max(((width - 2 * inset) * FONT_SIZE) / widest, LEAST_FONT); // a longer row is cut
  const fitting = Math.min(inWidth, BOX.rowHeight * transform.scale - 2, STEADY_ROW_FONT);
  const size = Math.floor(2 * Math.max(FONT_SIZE * ROW_FONT_SHARE * transform.scale, fitting)) / 2;
  if (size < LEAST_FONT) return;
  surface.font = font(Math.min(size, LARGEST_FONT));
  surface.fillStyle = ink("var(--ink-soft)");
  const isCut = rows.length > BOX.mostRows;
  for (let row = 0; row < Math.min(rows.length, BOX.mostRows); row++) {
    const text = isCut && row === BOX.mostRows - 1 ? `+${rows.length - row}` : rows[row]!;
    const middle = y + nameHeight + (row + 0.4) * BOX.rowHeight * transform.scale;
    paintText(painting, text, x + inset, middle, width - 2 * inset, size);
  }
  surface.fillStyle = ink("var(--ink)");
}

/** Names of the open scopes. Far away they keep their size, the outer ones first, where no other name is. */
export function paintTitles(painting: GraphPainting): void {
  const { surface, ink, parts, look, transform } = painting;
  const taken: Rect[] = [];
  surface.save();
  surface.textBaseline = "middle";
  surface.fillStyle = ink("var(--ink)");
  surface.strokeStyle = ink("var(--paper)");
  surface.lineWidth = HALO;
  surface.lineJoin = "round";
  for (let index = 0; index < parts.box.length; index++) {
    if (!parts.isOpen[index]) continue;
    const { item, x, y, width, height } = boxRect(painting, index);
    if (width < LEAST_TITLE.width || height < LEAST_TITLE.height) continue;
    const size = Math.round(Math.min(Math.max(FONT_SIZE * transform.scale, STEADY_FONT), LARGEST_FONT));
    const band = Math.max(SPACING.header * transform.scale, size + 6);
    const count = parts.frames[parts.boxFrame[index]!]!.items.stackSize[parts.box[index]!]!;
    const name = count > 1 ? `${look.label(item)} ×${count} ${look.badge(item)}`.trim() : look.label(item);
    const text = cutLabel(name, ((width - 2 * INSET) * FONT_SIZE) / size);
    const right = x + INSET + (textWidth(text) * size) / FONT_SIZE;
    const place = { left: x, top: y, right, bottom: y + band };
    if (text === ONLY_CUT || taken.some((other) => overlap(other, place))) continue;
    taken.push(place);
    surface.font = font(size, 600);
    surface.strokeText(text, x + Math.min(INSET, INSET * transform.scale + 2), y + band / 2);
    surface.fillText(text, x + Math.min(INSET, INSET * transform.scale + 2), y + band / 2);
    if (right < x + width - 3 * INSET) surface.fillText("−", x + width - INSET * transform.scale - size * 0.7, y + band / 2);
  }
  surface.restore();
}

interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const overlap = (a: Rect, b: Rect): boolean => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
