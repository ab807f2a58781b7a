"use strict";
// What all parts use: the data, elements, numbers as text.

const data = JSON.parse(document.getElementById("data").textContent);
const entries = data.entries;
const count = entries.name.length;
const text = (column, i) => data.texts[entries[column][i]];
const isSource = (i) => entries.kind[i] === 0;
const $ = (id) => document.getElementById(id);

// Texts of the program (names, lines) are set as text, never as markup.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const colour = (kind) => `var(--${data.kinds[kind]})`;

function sizeText(bytes) {
  for (const unit of ["B", "kB", "MB"]) {
    if (bytes < 1000) return `${unit === "B" || bytes >= 100 ? bytes.toFixed(0) : bytes.toFixed(1)} ${unit}`;
    bytes /= 1000;
  }
  return `${bytes.toFixed(bytes < 100 ? 1 : 0)} GB`;
}

function timeText(microseconds) {
  if (microseconds === null) return "–";
  if (microseconds < 1e3) return `${microseconds.toFixed(microseconds < 10 ? 1 : 0)} µs`;
  return microseconds < 1e6 ? `${(microseconds / 1e3).toFixed(1)} ms` : `${(microseconds / 1e6).toFixed(2)} s`;
}

const numberText = (number) => (typeof number === "number" ? String(Number(number.toPrecision(4))) : number);
const counted = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

// Operations are numbered from one, sources left out.
const ordinals = [];
entries.kind.reduce((n, kind, i) => (ordinals[i] = n + (kind ? 1 : 0)), 0);

// ---- the tree of boxes: operations are 0, 1, …; folded boxes -1, -2, …, of which -1 is the whole tape

let tree = [];
let around = []; // of each operation, the box it is in
let totals = []; // of each folded box

const isFolded = (box) => box < 0;
const folded = (box) => tree[-box - 1];
const parent = (box) => (isFolded(box) ? folded(box).parent : around[box]);
const nameOf = (box) => (isFolded(box) ? folded(box).name : text("name", box));

function useTree(number) {
  tree = data.trees[number].boxes;
  around = new Array(count).fill(-1);
  totals = new Array(tree.length);
  for (let k = tree.length - 1; k >= 0; k--) { // inner boxes come after outer ones
    const sum = { operations: 0, sources: 0, kept: 0, forward: 0, backward: null, norm: null, kinds: data.kinds.map(() => 0), first: Infinity };
    for (const child of tree[k].children) {
      if (!isFolded(child)) around[child] = -k - 1;
      add(sum, totalOf(child));
    }
    totals[k] = sum;
  }
}

function totalOf(box) {
  if (isFolded(box)) return totals[-box - 1];
  const source = isSource(box);
  const weight = source ? 0 : data.seen ? Math.max(entries.forward[box] + entries.backward[box], 0.001) : 1; // of time, or of the number
  const kinds = data.kinds.map((_, k) => (k === entries.kind[box] ? weight : 0));
  const norm = typeof entries.norm[box] === "string" ? Infinity : entries.norm[box];
  return {
    operations: source ? 0 : 1, sources: source ? 1 : 0, kept: entries.kept[box], forward: entries.forward[box],
    backward: entries.backward[box], norm, kinds, first: box,
  };
}

function add(sum, part) {
  for (const key of ["operations", "sources", "kept", "forward"]) sum[key] += part[key];
  if (part.backward !== null) sum.backward = (sum.backward ?? 0) + part.backward;
  if (part.norm !== null) sum.norm = Math.max(sum.norm ?? 0, part.norm);
  part.kinds.forEach((n, k) => { sum.kinds[k] += n; });
  sum.first = Math.min(sum.first, part.first);
}
