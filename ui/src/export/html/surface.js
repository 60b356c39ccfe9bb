// SPDX-License-Identifier: Apache-2.0
// Runs inside of a saved view, without any library, and in a report: turns the surfaces of landscapes. Without it they are contour lines.
/** `root` is a document or a shadow root; `read` returns the values of its cards. */
export function turnSurfaces(root, read) {
  const [MOST_CELLS, TURNING_CELLS] = [128, 48];
  const [REST_MS, NEAR, FLOOR] = [160, 14, -0.06];
  const RADIANS = Math.PI / 180;

  for (const figure of root.querySelectorAll("[data-surface]")) open(figure);

  function open(host) {
    const card = Number(host.closest("figure").id.replace("card-", ""));
    const { look, values: all } = read().cards[card].parts[Number(host.dataset.surface)];
    const canvas = document.createElement("canvas");
    const said = document.createElement("p");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", look.hint);
    said.className = "surface-said";
    said.setAttribute("aria-live", "polite");
    said.textContent = look.hint;
    host.prepend(canvas, said);
    host.classList.add("opened");
    follow({ canvas, said, look, all, camera: { ...look.camera }, isTurning: false, rest: 0, frame: 0 });
  }

  function follow(state) {
    const { canvas, look } = state;
    const pointers = new Map();
    const turn = (change) => {
      Object.assign(state.camera, change);
      state.camera.elevation = Math.min(90, Math.max(0, state.camera.elevation));
      state.camera.zoom = Math.min(8, Math.max(0.4, state.camera.zoom));
      state.isTurning = true;
      clearTimeout(state.rest);
      state.rest = setTimeout(() => {
        state.isTurning = false;
        schedule(state);
      }, REST_MS);
      schedule(state);
    };
    const orbit = (right, down) => turn({ azimuth: state.camera.azimuth - 0.4 * right, elevation: state.camera.elevation + 0.4 * down });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    });
    canvas.addEventListener("pointermove", (event) => {
      const from = pointers.get(event.pointerId);
      if (!from) return say(state, event);
      const apart = () => {
        const [one, other] = [...pointers.values()];
        return other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
      };
      const before = apart();
      pointers.set(event.pointerId, event);
      if (pointers.size === 1) orbit(event.clientX - from.clientX, event.clientY - from.clientY);
      else if (before > 0) turn({ zoom: (state.camera.zoom * apart()) / before });
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, ({ pointerId }) => pointers.delete(pointerId));
    canvas.addEventListener("pointerleave", () => (state.said.textContent = look.hint));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      turn({ zoom: state.camera.zoom * 1.15 ** (-event.deltaY / 100) });
    });
    canvas.addEventListener("dblclick", () => turn({ ...look.camera }));
    canvas.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [20, 0], ArrowRight: [-20, 0], ArrowUp: [0, 20], ArrowDown: [0, -20] };
      const factor = { "+": 1.15, "=": 1.15, "-": 1 / 1.15 }[event.key];
      if (moves[event.key]) orbit(...moves[event.key]);
      else if (factor) turn({ zoom: state.camera.zoom * factor });
      else if (event.key === "0") turn({ ...look.camera });
      else return;
      event.preventDefault();
    });
    new ResizeObserver(() => schedule(state)).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => schedule(state));
  }

  function schedule(state) {
    cancelAnimationFrame(state.frame);
    state.frame = requestAnimationFrame(() => draw(state));
  }

  /** A loss from 0 to 1 in the scale of the page; NaN for none. */
  function heightOf({ low, high, isLog }, loss) {
    if (typeof loss !== "number") return NaN;
    if (high <= low) return loss > high ? 1 : 0.5;
    const share = isLog ? Math.log(Math.max(loss, low) / low) / Math.log(high / low) : (loss - low) / (high - low);
    return Math.min(1, Math.max(0, share));
  }

  /** From the box to CSS pixels of the canvas. */
  function projector({ azimuth, elevation, zoom }, width, height, top) {
    const [around, above] = [azimuth * RADIANS, elevation * RADIANS];
    const [sin, cos, up, flat] = [Math.sin(around), Math.cos(around), Math.sin(above), Math.cos(above)];
    const distance = (5.6 * Math.max(1, (1.25 * height) / width)) / zoom;
    const scale = height / 2 / Math.tan(15 * RADIANS);
    return (x, y, z) => {
      const lifted = z - 0.36 * top;
      const right = -sin * x + cos * y;
      const depth = distance - (cos * flat * x + sin * flat * y + up * lifted);
      const over = -cos * up * x - sin * up * y + flat * lifted;
      return [width / 2 + (right / depth) * scale, height / 2 - (over / depth) * scale, depth];
    };
  }

  function within(places) {
    const [low, high] = [places[0], places[places.length - 1]];
    return (value) => (high > low ? (2 * (value - low)) / (high - low) - 1 : 0);
  }

  function strided(count, most) {
    const step = Math.ceil(count / most);
    const indices = Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
    return indices[indices.length - 1] === count - 1 ? indices : [...indices, count - 1];
  }

  function draw(state) {
    const { canvas, look, all, camera } = state;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    canvas.width = Math.round(width * devicePixelRatio);
    canvas.height = Math.round(height * devicePixelRatio);
    const ctx = canvas.getContext("2d");
    ctx.scale(devicePixelRatio, devicePixelRatio);
    const top = 0.9 * look.height;
    const place = projector(camera, width, height, top);
    const color = (name) => colorOf(canvas, name);
    ctx.lineWidth = 1;
    ctx.strokeStyle = color("--outline");
    ctx.beginPath();
    for (const [x, y] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
      [-1, -1],
    ])
      ctx.lineTo(...place(x, y, FLOOR).slice(0, 2));
    ctx.stroke();
    labels(ctx, all[0], look, place, camera, color);
    const most = state.isTurning ? TURNING_CELLS : MOST_CELLS;
    state.points = [];
    all.forEach((one, index) => {
      if (look.surfaces[index].stops) surface(ctx, one, look.surfaces[index], look, place, camera, top, most, state.points);
    });
    const paths = look.hasPath ? all : [];
    paths.forEach((one, index) => path(ctx, one, look.surfaces[index], place, top, look.surfaces[index].path ?? color("--series-3")));
  }

  /** A token of the page in the theme of the reader. */
  function colorOf(canvas, name) {
    canvas.style.color = `var(${name})`;
    return getComputedStyle(canvas).color;
  }

  /** Names of both directions and their ends, outside of the edges in front. */
  function labels(ctx, { x, y }, { names }, place, { azimuth }, color) {
    const [nearX, nearY] = [Math.cos(azimuth * RADIANS) >= 0 ? 1 : -1, Math.sin(azimuth * RADIANS) >= 0 ? 1 : -1];
    const number = (value) => String(Number(value.toPrecision(2)));
    const text = (words, at, inkName) => {
      ctx.fillStyle = color(inkName);
      ctx.fillText(words, ...place(...at, FLOOR).slice(0, 2));
    };
    ctx.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    text(names[0], [0, 1.22 * nearY], "--ink");
    text(names[1], [1.22 * nearX, 0], "--ink");
    for (const end of [-1, 1]) {
      text(number(x[end < 0 ? 0 : x.length - 1]), [end, 1.1 * nearY], "--ink-soft");
      text(number(y[end < 0 ? 0 : y.length - 1]), [1.1 * nearX, end], "--ink-soft");
    }
  }

  function surface(ctx, { x, y, losses }, { scale, stops }, look, place, { azimuth }, top, most, points) {
    const [columns, rows] = [strided(x.length, most), strided(y.length, most)];
    const [across, away] = [within(x), within(y)];
    const corners = rows.map((row) =>
      columns.map((column) => {
        const height = heightOf(scale, losses[row][column]);
        const spot = place(across(x[column]), away(y[row]), height * top || 0);
        if (!Number.isNaN(height)) points.push({ spot, x: x[column], y: y[row], loss: losses[row][column] });
        return { height, spot };
      }),
    );
    // from the far corner to the near one, so that what is in front is painted last
    const [cos, sin] = [Math.cos(azimuth * RADIANS), Math.sin(azimuth * RADIANS)];
    const order = (count, isForth) => Array.from({ length: count - 1 }, (_, index) => (isForth ? index : count - 2 - index));
    for (const row of order(rows.length, sin > 0)) {
      for (const column of order(columns.length, cos > 0)) {
        const cell = [corners[row][column], corners[row][column + 1], corners[row + 1][column + 1], corners[row + 1][column]];
        if (cell.some(({ height }) => Number.isNaN(height))) continue;
        const slope = (cell[1].height + cell[2].height - cell[0].height - cell[3].height) * columns.length * 0.02;
        const shade = 1 - look.light * Math.min(0.6, Math.max(0, 0.12 + slope));
        const mean = cell.reduce((sum, { height }) => sum + height, 0) / 4;
        ctx.fillStyle = ctx.strokeStyle = mixed(stops, mean, shade);
        ctx.beginPath();
        for (const { spot } of cell) ctx.lineTo(spot[0], spot[1]);
        ctx.closePath();
        ctx.globalAlpha = look.opacity;
        ctx.fill();
        if (look.opacity === 1) ctx.stroke(); // closes the gaps between cells
        ctx.globalAlpha = 1;
        contours(ctx, cell, stops, look.levels);
      }
    }
  }

  /** The lines of a cell where it is as high as a level. */
  function contours(ctx, cell, stops, levels) {
    const heights = cell.map(({ height }) => height);
    const [first, last] = [Math.ceil(Math.min(...heights) * (levels + 1)), Math.floor(Math.max(...heights) * (levels + 1))];
    for (let level = Math.max(1, first); level <= Math.min(levels, last); level++) {
      const at = level / (levels + 1);
      const ends = cell.flatMap((from, index) => {
        const to = cell[(index + 1) % 4];
        if (from.height < at === to.height < at) return [];
        const share = (at - from.height) / (to.height - from.height);
        return [[0, 1].map((axis) => from.spot[axis] + share * (to.spot[axis] - from.spot[axis]))];
      });
      const bright = stops[Math.round(at * (stops.length - 1))].reduce((sum, part) => sum + part, 0) > 380;
      ctx.strokeStyle = bright ? "rgb(0 0 0 / 0.4)" : "rgb(255 255 255 / 0.45)";
      ctx.beginPath();
      for (let end = 0; end + 1 < ends.length; end += 2) {
        ctx.moveTo(...ends[end]);
        ctx.lineTo(...ends[end + 1]);
      }
      ctx.stroke();
    }
  }

  function mixed(stops, share, shade) {
    const at = share * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(at));
    return `rgb(${stops[from].map((part, index) => Math.round((part + (stops[from + 1][index] - part) * (at - from)) * shade)).join(" ")})`;
  }

  function path(ctx, { x, y, path: given }, { scale, radii }, place, top, color) {
    if (!given) return;
    const [across, away] = [within(x), within(y)];
    const spots = given.x.map((at, index) => place(across(at), away(given.y[index]), (heightOf(scale, given.losses[index]) || 0) * top));
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.lineWidth = 2.5;
    ctx.beginPath();
    for (const [left, down] of spots) ctx.lineTo(left, down);
    ctx.stroke();
    ctx.strokeStyle = "#fff";
    ctx.lineWidth = 1.2;
    spots.forEach(([left, down], index) => {
      ctx.beginPath();
      ctx.arc(left, down, radii[index], 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    });
  }

  /** The frontmost point of a grid near the pointer, in words. */
  function say({ canvas, said, look, all, points = [] }, { clientX, clientY }) {
    const { left, top, width } = canvas.getBoundingClientRect();
    const reach = Math.max(NEAR, (0.5 * width) / Math.max(...all.flatMap(({ x, y }) => [x.length, y.length])));
    const near = points.filter(({ spot }) => Math.hypot(spot[0] - clientX + left, spot[1] - clientY + top) < reach);
    const front = near.sort((one, other) => one.spot[2] - other.spot[2])[0];
    const number = (value) => String(Number(Number(value).toPrecision(5)));
    said.textContent = front
      ? `${look.names[2]} ${number(front.loss)} · ${look.names[0]} ${number(front.x)} · ${look.names[1]} ${number(front.y)}`
      : look.hint;
  }
}
