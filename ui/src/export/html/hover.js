// SPDX-License-Identifier: Apache-2.0
// Runs inside of a saved view, without any library, and in a report: what the curves say where the pointer is. Without it a page is whole.
/** `root` is a document or a shadow root; `read` returns the values of its cards. */
export function pointAtCurves(root, read) {
  const MOST_ROWS = 12;
  /** Pixels of a drawing. */
  const NEAR = 6;
  const SVG = "http://www.w3.org/2000/svg";
  let values = null;
  let tip = null;

  /** The numbers of a drawing; they are read when somebody first points at one. */
  function partOf(svg) {
    values ??= read();
    const card = Number(svg.closest("figure").id.replace("card-", ""));
    return values.cards[card].parts[Number(svg.dataset.part)];
  }

  function straight({ isLog }) {
    return isLog ? Math.log10 : (value) => value;
  }

  function placer(axis, from, to) {
    const line = straight(axis);
    const [low, high] = axis.range.map(line);
    return (value) => from + ((line(value) - low) / (high - low)) * (to - from);
  }

  function placesOf({ left, top, right, bottom, x, ys }) {
    return { x: placer(x, left, right), ys: ys.map((axis) => placer(axis, bottom, top)) };
  }

  /** The point of every line that the pointer is on, the nearest line first. */
  function hits({ plot, lines }, at) {
    const places = placesOf(plot);
    const isInside = (x) => x >= plot.left - 1 && x <= plot.right + 1;
    const found = lines.flatMap((line) => {
      const y = places.ys[line.scale] ?? places.ys[0];
      const drawn = line.smoothed ?? line.value;
      let [best, distance] = [-1, Infinity];
      for (let row = 0; row < line.x.length; row++) {
        const [across, up] = [places.x(Number(line.x[row])) - at.x, y(Number(drawn[row])) - at.y];
        const apart = plot.by === "x" ? Math.abs(across) : Math.hypot(across, up);
        if (apart < distance) [best, distance] = [row, apart];
      }
      if (best < 0) return [];
      const point = { line, row: best, x: places.x(Number(line.x[best])), y: y(Number(drawn[best])) };
      return isInside(point.x) ? [{ ...point, distance, apart: plot.by === "x" ? Math.abs(point.y - at.y) : distance }] : [];
    });
    // A line that has no point near the pointer has nothing to say there.
    const nearest = Math.min(...found.map(({ distance }) => distance));
    const near = plot.by === "x" ? found.filter(({ distance }) => distance <= nearest + NEAR) : found;
    return near.sort(
      (one, other) => (Number.isNaN(one.apart) ? Infinity : one.apart) - (Number.isNaN(other.apart) ? Infinity : other.apart),
    );
  }

  function number(value) {
    const size = Math.abs(value);
    if (typeof value === "string") return value.replace("Infinity", "Inf").replace("-", "\u2212");
    const text =
      size !== 0 && (size >= 1e7 || size < 1e-3)
        ? String(Number(value.toPrecision(5)).toExponential())
        : String(Number(value.toPrecision(6)));
    return text.replaceAll("-", "\u2212").replace("e+", "e");
  }

  function place(axis, value) {
    if (axis.name === "wall") return new Date(value * 1000).toLocaleString(values.language);
    if (axis.name === "relative") return `${number(value)} s`;
    return axis.name === "step" ? `${values.words.step} ${value}` : `${axis.name} ${number(value)}`;
  }

  function element(name, text, ...children) {
    const made = document.createElement(name);
    if (text !== "") made.textContent = text;
    made.append(...children);
    return made;
  }

  function rowOf({ line, row }, hasStep) {
    const color = document.createElement("i");
    color.style.background = line.color;
    const extra = [];
    if (line.smoothed) extra.push(`${values.words.smoothed} ${number(line.smoothed[row])}`);
    if (line.low) extra.push(`${number(line.low[row])} – ${number(line.high[row])}`);
    if (line.count) extra.push(`${values.words.runs} ${line.count[row]}`);
    if (hasStep && line.step) extra.push(`${values.words.step} ${line.step[row]}`);
    const name = element("th", "", color, line.part === "" ? line.name : `${line.name} · ${line.part}`);
    return element("tr", "", name, element("td", number(line.value[row])), element("td", extra.join(" · ")));
  }

  function show(svg, at, pointer) {
    const part = partOf(svg);
    const found = hits(part, at);
    hide();
    if (found.length === 0) return;
    const { plot } = part;
    const [first] = found;
    const table = element("table", "", ...found.slice(0, MOST_ROWS).map((hit) => rowOf(hit, plot.x.name !== "step")));
    tip = element("div", "", element("p", place(plot.x, Number(first.line.x[first.row]))), table);
    if (found.length > MOST_ROWS) tip.append(element("p", values.words.more.replace("{n}", found.length - MOST_ROWS)));
    tip.className = "tip";
    tip.setAttribute("role", "status");
    (root.body ?? root).append(tip);
    const [wide, high] = [tip.offsetWidth, tip.offsetHeight];
    const isLeft = pointer.x + 16 + wide > document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, isLeft ? pointer.x - 16 - wide : pointer.x + 16)}px`;
    tip.style.top = `${Math.max(4, Math.min(pointer.y + 12, document.documentElement.clientHeight - high - 4))}px`;
    svg.append(marks(found, plot));
  }

  function marks(found, plot) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "pointed");
    if (plot.by === "x") group.append(shape("path", { d: `M${found[0].x} ${plot.top}V${plot.bottom}` }));
    const isInside = ({ y }) => y >= plot.top - 1 && y <= plot.bottom + 1;
    for (const { line, x, y } of found.filter(isInside)) group.append(shape("circle", { cx: x, cy: y, r: 3.5, fill: line.color }));
    return group;
  }

  function shape(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function hide() {
    tip?.remove();
    tip = null;
    root.querySelector(".pointed")?.remove();
  }

  function pointed(svg, event) {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    show(svg, { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale }, { x: event.clientX, y: event.clientY });
  }

  /** Arrow keys walk along the first line. */
  function typed(svg, event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (move === undefined) return;
    event.preventDefault();
    const { plot, lines } = partOf(svg);
    const [line] = lines;
    if (!line) return;
    const last = line.x.length - 1;
    const row = Math.max(0, Math.min(last, Number(svg.dataset.row ?? (move > 0 ? -1 : last + 1)) + move));
    svg.dataset.row = row;
    const places = placesOf(plot);
    const at = { x: places.x(Number(line.x[row])), y: (places.ys[line.scale] ?? places.ys[0])(Number((line.smoothed ?? line.value)[row])) };
    const box = svg.getBoundingClientRect();
    const scale = box.width / svg.viewBox.baseVal.width;
    show(svg, at, { x: box.left + at.x * scale, y: box.top + (Number.isNaN(at.y) ? plot.top : at.y) * scale });
  }

  for (const svg of root.querySelectorAll("svg[data-part]")) {
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", (event) => pointed(svg, event));
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => typed(svg, event));
  }

  for (const edge of root.querySelectorAll(".pair.swipe + input")) {
    const pair = edge.previousElementSibling;
    edge.hidden = false;
    edge.addEventListener("input", () => pair.style.setProperty("--edge", `${edge.value}%`));
  }
}
