// The parts together.

function drawTotals() {
  const total = totals[0] ?? { operations: 0, kept: 0, forward: 0, backward: null };
  const items = [
    ["operations", total.operations.toLocaleString("en")],
    ["kept for the backward walk", sizeText(total.kept)],
    ...(data.seen ? [["forward", timeText(total.forward)], ["backward", total.backward === null ? "not walked" : timeText(total.backward)]] : []),
    ["watched", `${counted(data.variables, "variable")}, ${counted(data.tensors, "tensor")}`],
  ];
  $("totals").replaceChildren(...items.map(([name, value]) => element("div", {}, element("span", { textContent: name }), element("b", { textContent: value }))));
}

function drawNotices() {
  const missing = data.lines ? "times and gradients, and for lines and layers outside functions" : "lines, layers, shapes, times and gradients";
  const more = data.seen ? "" : `For ${missing}, call tf.debugging.explain_gradients() before the tape opens.`;
  $("message").textContent = [data.message, more].filter(Boolean).join(" ");
  $("message").hidden = !$("message").textContent;
  const ends = $("ends");
  ends.hidden = !data.ends.length;
  ends.querySelector("summary").textContent = `Gradients end at ${counted(data.ends.length, "place")} of the program`;
  ends.querySelector("ul").replaceChildren(...data.ends.map((end) => {
    const times = end.count > 1 ? ` (${end.count.toLocaleString("en")} times)` : "";
    const sentence = end.text.replace(/^[a-z]+(?= )/, (word) => word.charAt(0).toUpperCase() + word.slice(1)); // not of stop_gradient()
    return element("li", {}, element("code", { textContent: end.where || end.kind }), ` ${sentence}${times}. ${end.repair}`);
  }));
}

function drawChoices() {
  const names = { layers: "By layer", lines: "By line" };
  $("trees").replaceChildren(...data.trees.map((item, k) => {
    const made = element("button", { type: "button", textContent: names[item.name], onclick: () => changeTree(k) });
    made.setAttribute("role", "tab");
    return made;
  }));
  $("colour").replaceChildren(...Object.keys(COLOURS).filter((name) => data.seen || !/time|gradient/.test(name)).map((name) => element("option", { textContent: name })));
  $("colour").addEventListener("change", () => { view.colour = $("colour").value; drawGraph(); });
}

function changeTree(number) {
  const chosen = view.chosen;
  useTree(number);
  [...$("trees").children].forEach((made, k) => made.setAttribute("aria-selected", String(k === number)));
  mark();
  if (chosen !== null && !isFolded(chosen)) goTo(chosen);
  else openBox(-1);
}

drawNotices();
if (count) {
  drawChoices();
  changeTree(0);
  listenToGraph();
  listenToSearch();
  drawMemory();
  drawTables();
  window.addEventListener("resize", drawMemory);
} else {
  for (const section of document.querySelectorAll("section")) section.hidden = true;
}
drawTotals();
document.documentElement.dataset.ready = "true";
