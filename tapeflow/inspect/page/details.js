// The panel beside the picture: everything known of the chosen operation, or of the opened box.

function drawDetails() {
  const box = view.chosen;
  $("details").replaceChildren(...(box === null || isFolded(box) ? aboutFolded(box ?? view.box) : aboutOperation(box)));
}

function aboutFolded(box) {
  const total = totalOf(box);
  const walked = total.backward !== null;
  const kinds = { layer: "layer or scope", line: "line of the program", run: "operations one after the other", sources: "sources" };
  const opened = folded(box);
  const unseen = opened.unseen[0] + opened.unseen[1];
  const rows = [
    ["operations", total.operations.toLocaleString("en")],
    ["sources", total.sources.toLocaleString("en")],
    ["memory kept", sizeText(total.kept)],
    ...(data.seen ? [["forward", timeText(total.forward)], ["backward", walked ? timeText(total.backward) : "not walked"]] : []),
    ...(total.norm !== null ? [["largest gradient norm", numberText(total.norm)]] : []),
  ];
  return [
    element("h3", { textContent: box === -1 ? "The whole tape" : nameOf(box) }),
    box === -1 ? null : element("small", { textContent: kinds[opened.kind] }),
    definitions(rows),
    ...lineOf(total.first, opened.kind === "line" && box !== -1),
    unseen ? element("p", { className: "hint", textContent: `${counted(unseen, "more neighbour")} not drawn.` }) : null,
    data.seen ? element("p", { className: "hint", textContent: "The bar in a folded box shows which kinds of operations took the time." }) : null,
    opened.arrows.some((arrow) => arrow[3])
      ? element("p", { className: "hint", textContent: "Boxes with very many arrows show them when chosen." }) : null,
    element("p", { className: "hint", textContent: "Click a box to open it or to see its shapes, memory, times and gradient. The wheel zooms, dragging moves, / searches." }),
  ].filter(Boolean);
}

function aboutOperation(i) {
  const backward = entries.backward[i];
  const badge = element("small", { className: "badge", textContent: isSource(i) ? "source: watched, or a variable that was read" : `${data.kinds[entries.kind[i]]} operation, number ${ordinals[i].toLocaleString("en")}` });
  badge.style.setProperty("--colour", colour(entries.kind[i]));
  const users = [];
  for (let k = 0; k < count && users.length < 9; k++) if (entries.inputs[k].includes(i)) users.push(k);
  const rows = [
    ["result", text("result", i) || "not known"],
    ...(isSource(i) ? [] : [["memory kept", sizeText(entries.kept[i])]]),
    ...(data.seen && !isSource(i) ? [["forward", timeText(entries.forward[i])], ["backward", backward === null ? "not walked" : timeText(backward)]] : []),
    ...(entries.norm[i] !== null ? [["gradient norm", numberText(entries.norm[i])]] : []),
    ...(text("scope", i) ? [["layer", text("scope", i)]] : []),
    ...(entries.inputs[i].length ? [["inputs", links(entries.inputs[i])]] : []),
    ...(users.length ? [["used by", links(users)]] : []),
  ];
  return [element("h3", { textContent: text("name", i) }), badge, definitions(rows), ...lineOf(i, true), ...histogram(i)];
}

function definitions(rows) {
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", { textContent: name }), element("dd", {}, value)]));
}

function links(operations) {
  const most = 8;
  const parts = operations.slice(0, most).map((i) => {
    const shape = text("result", i).replace(/^\w+ /, "");
    return element("div", {}, element("button", { type: "button", className: "link", textContent: `${text("name", i)} ${shape}`, onclick: () => goTo(i) }));
  });
  return element("div", {}, ...parts, operations.length > most ? "…" : "");
}

function lineOf(i, wanted) {
  if (!wanted || !(i < count) || !text("line", i)) return [];
  return [element("small", { textContent: text("line", i) }), element("span", { className: "code", textContent: text("source", i) })];
}

function histogram(i) {
  const bars = text("bars", i);
  if (!bars) return isSource(i) || entries.norm[i] === null ? [] : [element("p", { className: "hint", textContent: "The gradient has no finite entries." })];
  const width = 280, height = 70, step = width / bars.length;
  const drawn = [...bars].map((letter, k) => {
    const tall = (parseInt(letter, 36) / 35) * height;
    return shape("rect", { x: k * step + 0.5, y: height - tall, width: step - 1, height: tall });
  });
  const [low, high] = entries.range[i];
  const mark = (x, anchor, number) => shape("text", { x, y: height + 13, "text-anchor": anchor }, numberText(number));
  const marks = low === high ? [mark(width / 2, "middle", low)] : [mark(0, "start", low), mark(width, "end", high)];
  return [
    element("h4", { textContent: "Gradient that arrived here" }),
    shape("svg", { class: "histogram", viewBox: `0 0 ${width} ${height + 16}`, width: "100%" }, ...drawn, ...marks),
  ];
}
