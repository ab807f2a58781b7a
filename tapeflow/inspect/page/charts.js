// Memory over time, and tables by line, operation and layer.

function drawMemory() {
  const operations = entries.name.map((_, i) => i).filter((i) => !isSource(i));
  const kept = [0];
  for (const i of operations) kept.push(kept.at(-1) + entries.kept[i]);
  const forward = kept.length, most = kept.at(-1);
  const released = data.persistent ? kept.map(() => most) : [...kept].reverse();
  const width = Math.max($("memory").clientWidth, 300), height = 200, left = 64, right = width - 8, top = 12;
  const x = (k) => left + ((right - left) * k) / Math.max(2 * forward - 2, 1);
  const y = (bytes) => top + (height - top) * (1 - bytes / (most || 1));
  // No more points than pixels; of those that fall together the largest counts.
  const step = Math.max(1, Math.floor(forward / 900));
  const path = (values, offset) => {
    const points = [];
    for (let k = 0; k < values.length; k += step) points.push([x(offset + k), y(Math.max(...values.slice(k, k + step)))]);
    points.push([x(offset + values.length - 1), y(values.at(-1))]);
    return points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" L");
  };
  const [up, down] = [path(kept, 0), path(released, forward - 1)];
  const rules = [0, 0.5, 1].flatMap((part) => [
    shape("line", { class: "rule", x1: left, x2: right, y1: y(part * most), y2: y(part * most) }),
    shape("text", { x: left - 8, y: y(part * most) + 4, "text-anchor": "end" }, sizeText(part * most)),
  ]);
  const walk = data.persistent ? "backward: a persistent tape keeps everything" : data.walked ? "backward: released step by step" : "backward: not walked yet, expected";
  const cursor = shape("line", { class: "cursor", y1: top, y2: height, visibility: "hidden" });
  const said = element("p", { className: "hint", textContent: "Point at the curve to see which operation it was; click to find it in the picture." });
  const chart = shape("svg", { class: "chart", width, height: height + 26, role: "img", "aria-label": "Memory kept over time" },
    ...rules,
    shape("path", { class: "area", d: `M${x(0)},${y(0)} L${up} L${down} L${right},${y(0)} z` }),
    shape("path", { class: "line", d: `M${up}` }),
    shape("path", { class: `line${data.walked && !data.persistent ? "" : " expected"}`, d: `M${down}` }),
    shape("line", { class: "rule", x1: x(forward - 1), x2: x(forward - 1), y1: top, y2: height }),
    shape("text", { x: left, y: height + 18 }, `forward: ${counted(forward - 1, "operation")} →`),
    shape("text", { x: x(forward - 1) + 6, y: height + 18 }, `${walk} →`),
    cursor);
  const at = (event) => {
    const size = chart.getBoundingClientRect();
    const share = (event.clientX - size.left - left) / (right - left);
    const k = Math.round(Math.min(Math.max(share, 0), 1) * (2 * forward - 2));
    const step = k < forward ? k : 2 * forward - 2 - k;
    return { k, operation: operations[Math.max(step - 1, 0)], bytes: k < forward ? kept[k] : released[k - forward + 1] };
  };
  chart.addEventListener("pointermove", (event) => {
    const { k, operation, bytes } = at(event);
    if (operation === undefined) return;
    cursor.setAttribute("x1", x(k));
    cursor.setAttribute("x2", x(k));
    cursor.setAttribute("visibility", "visible");
    const own = `${sizeText(entries.kept[operation])} for ${text("name", operation)}`;
    said.textContent = `${k < forward ? "Forward" : "Backward"}: ${sizeText(bytes)} kept; ${own} ${text("line", operation)}`;
  });
  chart.addEventListener("click", (event) => { if (at(event).operation !== undefined) goTo(at(event).operation); });
  $("memory").replaceChildren(chart, said);
}

// One row for each text that `key` gives: sums over the operations.
function grouped(key) {
  const groups = new Map();
  for (let i = 0; i < count; i++) {
    if (isSource(i)) continue;
    const name = key(i);
    if (!groups.has(name)) groups.set(name, { name, first: i, count: 0, kept: 0, forward: 0, backward: 0 });
    const group = groups.get(name);
    group.count += 1;
    group.kept += entries.kept[i];
    group.forward += entries.forward[i];
    group.backward += entries.backward[i] ?? 0;
  }
  return [...groups.values()];
}

const MOST_ROWS = 12;

function drawTable(place, title, rows, show, sorted) {
  const walked = entries.backward.some((seconds) => seconds !== null);
  const columns = [
    ["count", "count", (n) => n.toLocaleString("en")], ["kept", "kept", sizeText],
    ...(data.seen ? [["forward", "forward", timeText]] : []), ...(walked ? [["backward", "backward", timeText]] : []),
  ];
  let by = sorted, falling = true, all = false;
  const draw = () => {
    const order = [...rows].sort((a, b) => (by === "name" ? a.name.localeCompare(b.name, "en", { numeric: true }) : a[by] - b[by]) * (falling ? -1 : 1));
    const most = Object.fromEntries(columns.map(([key]) => [key, Math.max(...rows.map((row) => row[key])) || 1]));
    const heading = ([key, name]) => {
      const cell = element("th", { textContent: `${name}${by === key ? (falling ? " ↓" : " ↑") : ""}`, tabIndex: 0, scope: "col" });
      if (by === key) cell.ariaSort = falling ? "descending" : "ascending";
      cell.onclick = () => { falling = by === key ? !falling : key !== "name"; by = key; draw(); };
      cell.onkeydown = (event) => { if (event.key === "Enter") cell.onclick(); };
      return cell;
    };
    const body = order.slice(0, all ? order.length : MOST_ROWS).map((row) => element("tr", { onclick: () => searchFor(row.name) },
      element("td", {}, ...show(row)),
      ...columns.map(([key, , asText]) => {
        const cell = element("td", { className: key === "count" ? "number" : "number bar", textContent: asText(row[key]) });
        cell.style.setProperty("--share", `${((row[key] / most[key]) * 100).toFixed(1)}%`);
        return cell;
      })));
    const more = rows.length > MOST_ROWS
      ? element("button", { type: "button", className: "more", textContent: all ? "Show fewer" : `Show all ${rows.length.toLocaleString("en")}`, onclick: () => { all = !all; draw(); } })
      : null;
    place.replaceChildren(element("table", {},
      element("thead", {}, element("tr", {}, heading(["name", title]), ...columns.map(heading))), element("tbody", {}, ...body)), ...(more ? [more] : []));
  };
  draw();
}

function drawTables() {
  const lines = grouped((i) => text("line", i));
  const showLine = (row) => [row.name || (data.seen ? "no line known" : "outside functions"), element("code", { className: "code", textContent: text("source", row.first) })];
  if (data.lines) drawTable($("by-line"), "line", lines, showLine, "kept");
  drawTable($("by-operation"), "operation", grouped((i) => text("name", i)), (row) => [row.name], data.seen ? "forward" : "kept");
  const scopes = grouped((i) => text("scope", i));
  $("layer-section").hidden = scopes.length < 2;
  if (scopes.length > 1) drawTable($("by-layer"), "layer or scope", scopes, (row) => [row.name || "(outside)"], "kept");
}
