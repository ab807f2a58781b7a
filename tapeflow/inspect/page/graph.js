// The picture: one opened box at a time, moved and zoomed by hand.

const HEIGHT = 46, ACROSS = 26, DOWN = 36;
const SMALLEST = 0.7, READABLE = 0.85; // what does not fit at the first scale is shown larger, from its beginning on
const view = { box: -1, chosen: null, x: 0, y: 0, scale: 1, colour: "kind" };
let hits = new Set(); // operations that the search found

const canvas = $("graph");
const scene = shape("g");
const head = (id) =>
  shape("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
    shape("path", { d: "M0,0.5 L8,4 L0,7.5 z" }));
canvas.append(shape("defs", {}, head("head"), head("head-near")), scene);

const COLOURS = {
  kind: null,
  "memory kept": (t) => t.kept,
  "forward time": (t) => t.forward,
  "backward time": (t) => t.backward ?? 0,
  "gradient norm": (t) => t.norm ?? 0,
};

function openBox(box, chosen = null) {
  view.box = box;
  view.chosen = chosen;
  drawGraph();
  fit();
  if (chosen !== null) centre(chosen);
  drawCrumbs();
  drawDetails();
}

// Shows an operation or box wherever it is.
function goTo(box) {
  openBox(parent(box), box);
}

function choose(box) {
  view.chosen = box;
  for (const shown of scene.querySelectorAll(".box")) shown.classList.toggle("chosen", Number(shown.dataset.box) === box);
  for (const arrow of scene.querySelectorAll(".arrow")) {
    const near = box !== null && (Number(arrow.dataset.from) === box || Number(arrow.dataset.to) === box);
    arrow.classList.toggle("near", near);
    arrow.setAttribute("marker-end", near ? "url(#head-near)" : "url(#head)");
  }
  drawDetails();
}

function drawGraph() {
  const opened = folded(view.box);
  const { width, boxes, places } = opened;
  const left = (k) => places[2 * k] * (width + ACROSS);
  const top = (k) => places[2 * k + 1] * (HEIGHT + DOWN);
  const last = boxes.length - opened.outside[1];
  const shares = heat(boxes);
  const above = (k) => top(k) - (isFolded(boxes[k]) && k >= opened.outside[0] && k < last ? 5 : 1);
  const arrows = opened.arrows.map(([a, b, n, quiet, way]) => {
    const upwards = top(b) < top(a);
    const aside = upwards ? (way && way[0] < places[2 * a] ? -12 : 12) : 0; // beside an arrow that goes down
    const points = [[left(a) + width / 2 + aside, upwards ? above(a) : top(a) + HEIGHT]];
    for (let k = 0; k < (way || []).length; k += 2) {
      const x = way[k] * (width + ACROSS) + width / 2 + aside, y = way[k + 1] * (HEIGHT + DOWN);
      points.push(upwards ? [x, y + HEIGHT] : [x, y], upwards ? [x, y] : [x, y + HEIGHT]);
    }
    points.push([left(b) + width / 2 + aside, upwards ? top(b) + HEIGHT + 1 : above(b)]);
    const arrow = shape("path", {
      class: `arrow${upwards ? " back" : ""}${quiet ? " quiet" : ""}`, d: curve(points), "stroke-width": Math.min(1.4 + Math.log2(n) / 5, 3),
      "marker-end": "url(#head)",
    });
    arrow.dataset.from = boxes[a];
    arrow.dataset.to = boxes[b];
    return arrow;
  });
  const drawn = boxes.map((box, k) => drawBox(box, left(k), top(k), width, k < opened.outside[0] || k >= last, k < last, shares[k]));
  scene.replaceChildren(...arrows, ...drawn);
  for (const label of scene.querySelectorAll("text")) shorten(label, width - 14);
  choose(view.chosen);
  drawLegend();
}

// Down through the points; straight beside boxes, curved between rows.
function curve(points) {
  let path = `M${points[0]}`;
  for (let k = 1; k < points.length; k++) {
    const [x0, y0] = points[k - 1], [x1, y1] = points[k];
    const middle = (y0 + y1) / 2;
    path += x0 === x1 ? `L${x1},${y1}` : `C${x0},${middle} ${x1},${middle} ${x1},${y1}`;
  }
  return path;
}

function drawBox(box, x, y, width, outside, before, share) {
  const total = totalOf(box);
  const given = !isFolded(box) && isSource(box);
  const most = total.kinds.indexOf(Math.max(...total.kinds));
  const kind = given || total.operations === 0 ? 0 : most;
  const made = shape("g", { class: `box${outside ? " outside" : ""}${share === null ? "" : " heat"}`, transform: `translate(${x},${y})`, tabindex: 0 });
  made.dataset.box = box;
  const fill = share === null ? `color-mix(in srgb, ${colour(kind)} 13%, var(--panel))` : `color-mix(in srgb, var(--heat) ${share}%, var(--panel))`;
  made.style.setProperty("--fill", fill);
  made.style.setProperty("--edge", share === null ? colour(kind) : "var(--dim)");
  const round = given ? HEIGHT / 2 : 7;
  if (isFolded(box)) made.append(shape("rect", { class: "behind", x: 4, y: -4, width, height: HEIGHT, rx: round }));
  made.append(shape("rect", { class: "face", width, height: HEIGHT, rx: round }));
  if (isFolded(box) && !outside && share === null) made.append(kindBar(total, width));
  const name = nameOf(box);
  const second = outside ? (before ? "comes from here" : "goes there") : secondLine(box, total);
  made.append(label(width / 2, 19, name), label(width / 2, 35, second));
  const source = !isFolded(box) || folded(box).kind === "line" ? `\n${text("line", total.first)}  ${text("source", total.first)}` : "";
  made.append(shape("title", {}, `${name}\n${second}${source}${isFolded(box) ? "\nclick to open" : ""}`));
  if (touched(box)) made.classList.add("hit");
  return made;
}

function secondLine(box, total) {
  if (!isFolded(box)) return text("result", box) || `${sizeText(total.kept)} kept`;
  if (!total.operations) return counted(total.sources, "source");
  const time = total.forward + (total.backward ?? 0);
  return [counted(total.operations, "op"), sizeText(total.kept), ...(data.seen ? [timeText(time)] : [])].join(" · ");
}

const label = (x, y, content) => shape("text", { x, y }, content);

// How much of a folded box is of which kind, as a bar along its lower edge.
function kindBar(total, width) {
  const bar = shape("g");
  let x = 7;
  const all = total.kinds.reduce((a, b) => a + b, 0);
  total.kinds.forEach((n, k) => {
    const part = (n / all) * (width - 14);
    if (n) bar.append(shape("rect", { x, y: HEIGHT - 5, width: part, height: 3, fill: colour(k) }));
    x += part;
  });
  return bar;
}

function shorten(label, width) {
  const whole = label.textContent;
  const wide = label.getComputedTextLength();
  if (wide <= width) return;
  const letters = Math.max(4, Math.floor((whole.length * width) / wide) - 1);
  label.textContent = `${whole.slice(0, Math.ceil(letters * 0.5))}…${whole.slice(whole.length - Math.floor(letters * 0.5))}`;
}

// For each box how strongly it is coloured, in percent; null when colours show kinds.
function heat(boxes) {
  const of = COLOURS[view.colour];
  if (!of) return boxes.map(() => null);
  const values = boxes.map((box) => of(totalOf(box)));
  const real = values.filter((v) => v > 0 && v < Infinity);
  const [low, high] = [Math.min(...real), Math.max(...real)];
  if (view.colour !== "gradient norm") return values.map((v) => Math.round(75 * (v / high) || 0));
  const logarithm = (v) => (high > low ? (Math.log(v) - Math.log(low)) / (Math.log(high) - Math.log(low)) : 0.5);
  return values.map((v) => (v === Infinity ? 100 : v > 0 ? Math.round(8 + 67 * logarithm(v)) : 0));
}

function drawLegend() {
  const items = view.colour === "kind"
    ? data.kinds.map((kind, k) => [kind, colour(k), k ? totals[0].kinds[k] : totals[0].sources]).filter(([, , n]) => n).map(([kind, c]) => [kind, c])
    : [[`more: ${view.colour}`, "var(--heat)"]];
  $("legend").replaceChildren(...items.map(([name, c]) => {
    const item = element("span", { textContent: name });
    item.style.setProperty("--colour", c);
    return item;
  }));
}

function drawCrumbs() {
  const path = [];
  for (let box = view.box; box; box = parent(box)) path.unshift(box);
  const parts = path.flatMap((box, k) => [
    ...(k ? [element("i", { textContent: "›" })] : []),
    k === path.length - 1
      ? element("span", { textContent: nameOf(box) })
      : element("button", { type: "button", textContent: nameOf(box), onclick: () => openBox(box) }),
  ]);
  $("crumbs").replaceChildren(...parts);
}

// ---- zoom and pan

function move() {
  scene.setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
}

function zoomAt(x, y, factor) {
  const scale = Math.min(Math.max(view.scale * factor, 0.05), 4);
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  move();
}

function fit(everything = false) {
  const size = canvas.getBoundingClientRect();
  const box = scene.getBBox();
  const room = [size.width - 32, size.height - 32];
  const whole = Math.min(room[0] / box.width, room[1] / box.height, 1.15) || 1;
  view.scale = everything || whole >= SMALLEST ? whole : Math.min(READABLE, Math.max(room[0] / box.width, SMALLEST));
  // What is too large to be seen at once begins at its first box.
  const first = folded(view.box).places[0] * (folded(view.box).width + ACROSS) + folded(view.box).width / 2;
  const wide = box.width * view.scale > room[0];
  const middle = wide ? Math.min(Math.max(first, box.x + room[0] / view.scale / 2), box.x + box.width - room[0] / view.scale / 2) : box.x + box.width / 2;
  view.x = size.width / 2 - middle * view.scale;
  view.y = Math.max((size.height - box.height * view.scale) / 2, 16) - box.y * view.scale;
  move();
}

function centre(box) {
  const shown = [...scene.querySelectorAll(".box:not(.outside)")].find((b) => Number(b.dataset.box) === box);
  if (!shown) return;
  const size = canvas.getBoundingClientRect(), place = shown.getBoundingClientRect();
  if (place.left >= size.left && place.right <= size.right && place.top >= size.top && place.bottom <= size.bottom) return;
  view.x += size.left + size.width / 2 - (place.left + place.width / 2);
  view.y += size.top + size.height / 2 - (place.top + place.height / 2);
  move();
}

function press(target) {
  const shown = target.closest?.(".box");
  if (!shown) return choose(null);
  const box = Number(shown.dataset.box);
  if (shown.classList.contains("outside")) goTo(box);
  else if (isFolded(box)) openBox(box);
  else choose(box);
}

function listenToGraph() {
  let start = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const size = canvas.getBoundingClientRect();
    zoomAt(event.clientX - size.left, event.clientY - size.top, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button === 0) start = { x: event.clientX, y: event.clientY, at: [view.x, view.y], target: event.target, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!start) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    if (Math.hypot(dx, dy) > 4) start.moved = true;
    if (!start.moved) return;
    canvas.classList.add("moving");
    [view.x, view.y] = [start.at[0] + dx, start.at[1] + dy];
    move();
  });
  window.addEventListener("pointerup", () => {
    canvas.classList.remove("moving");
    if (start && !start.moved) press(start.target);
    start = null;
  });
  canvas.addEventListener("keydown", (event) => { if (event.key === "Enter") press(event.target); });
  $("zoom").addEventListener("click", (event) => {
    const what = event.target.dataset.zoom;
    const size = canvas.getBoundingClientRect();
    if (what === "fit") fit(true);
    else if (what) zoomAt(size.width / 2, size.height / 2, what === "in" ? 1.3 : 1 / 1.3);
  });
}
