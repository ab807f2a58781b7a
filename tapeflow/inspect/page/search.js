// Search by operation, line, layer, shape: what is found is marked in the picture, and one click away.

const MOST_HITS = 50;
let searchable = null;
let foundList = [];
let now = -1;
let touchedBoxes = new Set();

const touched = (box) => (isFolded(box) ? touchedBoxes.has(box) : hits.has(box));

function search(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  searchable ??= entries.name.map((_, i) => ["name", "line", "scope", "source", "result"].map((column) => text(column, i)).join(" ").toLowerCase());
  foundList = words.length ? searchable.flatMap((content, i) => (words.every((word) => content.includes(word)) ? [i] : [])) : [];
  // Operations that are called what was asked for come before those that only mention it.
  const named = (i) => (words.some((word) => text("name", i).toLowerCase().includes(word)) ? 0 : 1);
  foundList.sort((a, b) => named(a) - named(b) || a - b);
  now = -1;
  mark();
  $("found").textContent = words.length ? foundList.length.toLocaleString("en") : "";
  $("hits").replaceChildren(...foundList.slice(0, MOST_HITS).map((i, k) => {
    const where = [text("scope", i), text("line", i), isSource(i) ? "source" : `number ${ordinals[i].toLocaleString("en")}`].filter(Boolean).join(" · ");
    const item = element("li", {}, `${text("name", i)} ${text("result", i)} `, element("small", { textContent: where }));
    item.addEventListener("pointerdown", (event) => { event.preventDefault(); jump(k); $("hits").hidden = true; });
    return item;
  }));
  if (foundList.length > MOST_HITS) $("hits").append(element("li", {}, element("small", { textContent: `and ${(foundList.length - MOST_HITS).toLocaleString("en")} more` })));
  if (words.length && !foundList.length) $("hits").append(element("li", { textContent: "Nothing found." }));
  $("hits").hidden = !words.length;
}

function mark() {
  hits = new Set(foundList);
  touchedBoxes = new Set();
  for (const i of foundList) for (let box = parent(i); box && !touchedBoxes.has(box); box = parent(box)) touchedBoxes.add(box);
  for (const shown of scene.querySelectorAll(".box")) shown.classList.toggle("hit", touched(Number(shown.dataset.box)));
}

function jump(k) {
  if (!foundList.length) return;
  now = (k + foundList.length) % foundList.length;
  [...$("hits").children].forEach((item, j) => item.classList.toggle("now", j === now));
  $("found").textContent = `${(now + 1).toLocaleString("en")} of ${foundList.length.toLocaleString("en")}`;
  goTo(foundList[now]);
}

function listenToSearch() {
  const query = $("query");
  query.addEventListener("input", () => search(query.value));
  query.addEventListener("focus", () => { $("hits").hidden = !query.value.trim(); });
  query.addEventListener("blur", () => { $("hits").hidden = true; });
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { jump(now + (event.shiftKey ? -1 : 1)); $("hits").hidden = true; }
    else if (event.key === "ArrowDown") jump(now + 1);
    else if (event.key === "ArrowUp") jump(now - 1);
    else if (event.key === "Escape") { query.value = ""; search(""); query.blur(); } else return;
    event.preventDefault();
  });
  window.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /INPUT|SELECT/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    query.focus();
  });
}

function searchFor(content) {
  $("query").value = content;
  search(content);
  $("hits").hidden = true;
  if (foundList.length) jump(0);
  $("graph-section").scrollIntoView({ block: "start", behavior: "smooth" });
}
