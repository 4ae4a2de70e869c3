// A table with several keys as one grid: the last key across, all others down, and of it what is in sight.

import { TOO_NOISY, drawsOf } from "./draws.js";
import { h } from "./dom.js";
import { figure } from "./rows.js";
import { LETTER, canvas, short } from "./shades.js";

const FEWEST = 13;
const MOST_PICTURES = 12;
const MOST_ACROSS = 12;
const ROW = 28;
const LEAST = 44;
const DIGIT = 6.9;
const EDGE = 5;
const FLAT = 26;
const SLOPED = 12;
const LITTLE = 0.1;
const SOME = 0.25;
const STROKE = 0.13;
const ROOMY = 100;
const FEW = 0.25;

/** Whether a view of a table is a grid: of covariances always, of others from 13 cells of two or more keys. */
export function gridded(open, view) {
  if (open.look === "words" || several(open).length < 2) return false;
  if (open.look === "matrix") return true;
  if (open.cells.length < FEWEST) return false;
  return open.look === "marks" || view === "cells" || open.panels.length > MOST_PICTURES;
}

/** The keys with more than one cell. */
function several(open) {
  return open.keys.filter(({ labels }) => labels.length > 1);
}

const grids = new WeakMap();

/** Rows and columns of a table: names, and which cell stands where. A long key goes down where the other is shorter. */
function grid(open) {
  if (!grids.has(open)) {
    const keys = several(open);
    const last = keys[keys.length - 1];
    const across = last.labels.length;
    const down = keys.slice(0, -1).reduce((all, { labels }) => all.flatMap((each) => labels.map((own) => (each ? `${each} · ${own}` : own))), [""]);
    const turned = keys.length === 2 && across > MOST_ACROSS && down.length < across;
    const name = keys.slice(0, -1).map(({ title }) => title).join(" · ");
    const made = turned
      ? { rows: last.labels, columns: down, title: last.title, over: name, at: (row, column) => column * across + row }
      : { rows: down, columns: last.labels, title: name, over: last.title, at: (row, column) => row * across + column };
    grids.set(open, made);
  }
  return grids.get(open);
}

/** What stands in the card's chart as long as one table is opened: it keeps its place when it is drawn anew. */
export class Matrix {
  constructor(frame) {
    this.frame = frame;
    this.corner = h("div", { class: "corner" });
    this.heads = h("div", { class: "heads" });
    this.names = h("div", { class: "names" });
    this.body = h("div", { class: "body" });
    this.root = h("div", { class: "matrix", "aria-hidden": "true" }, this.corner, this.heads, this.names, this.body);
    this.scrolled = () => this.root.isConnected && this.scene && this.paint();
    frame.addEventListener("scroll", this.scrolled);
    this.body.addEventListener("pointermove", (event) => this.point(event));
  }

  draw(scene) {
    if (scene.open.name !== this.scene?.open.name) this.frame.scrollTo(0, 0);
    this.scene = scene;
    this.lay(grid(scene.open));
    this.paint();
  }

  /** Sizes: of names as much as they need up to a third, of columns what is left, but room for a number. */
  lay({ rows, columns, title, over }) {
    const { width, phone, write, open } = this.scene;
    const longest = (texts) => texts.reduce((most, { length }) => Math.max(most, length), 0);
    const known = open.true.filter((each) => typeof each === "number");
    const size = known.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    const digits = Math.max(longest([write.percent(10), write.value(size, size)]), 7);
    const left = Math.ceil(Math.min(longest([...rows, title]) * (LETTER + 0.9) + 14, width * (phone ? 0.38 : 0.34)));
    const room = open.look === "matrix" || known.some((each) => each < 0) ? 3 * digits * DIGIT + 24 : digits * DIGIT;
    const wide = Math.floor(Math.max(LEAST, room + 2 * EDGE, (width - left) / columns.length));
    const most = longest(columns);
    const sloped = most > 6 && most * (LETTER + 0.6) + 8 > wide;
    const high = sloped ? Math.ceil(Math.min(most, 14) * LETTER * 0.72) + 22 : FLAT;
    const seen = Math.min(rows.length * ROW, Math.max(Math.floor(this.most() - high), ROW));
    const bar = wide - 5 - (wide >= ROOMY && this.scene.view === "beside" ? digits * DIGIT : 0);
    this.sizes = { left, wide, bar, high, sloped, room: seen, width: Math.min(width - left, wide * columns.length), rows, columns };
    this.root.style.gridTemplate = `${high}px ${rows.length * ROW}px / ${left}px ${wide * columns.length}px`;
    this.frame.style.height = `${high + seen}px`;
    this.corner.replaceChildren(h("span", { title }, title), h("span", { title: over }, over));
  }

  /** How high the frame may be. */
  most() {
    return parseFloat(getComputedStyle(this.frame).maxHeight) || 400;
  }

  /** Draws what is in sight. */
  paint() {
    const { scene, sizes } = this;
    const { left, wide, high, width, room, rows, columns } = sizes;
    const [x, y] = [this.frame.scrollLeft, this.frame.scrollTop];
    const across = [Math.floor(x / wide), Math.min(columns.length, Math.ceil((x + width) / wide))];
    const down = [Math.floor(y / ROW), Math.min(rows.length, Math.ceil((y + room) / ROW))];
    this.named(across, down);
    if (this.sheet?.style.width !== `${width}px` || this.sheet.style.height !== `${room}px`) {
      [this.sheet, this.brush] = canvas(width, room);
      Object.assign(this.sheet.style, { top: `${high}px`, left: `${left}px` });
      this.body.replaceChildren(this.sheet);
    }
    Object.assign(this.sheet.style, { top: `${high}px`, left: `${left}px` });
    this.brush.clearRect(0, 0, width, room);
    this.brush.font = `12px ${getComputedStyle(this.frame).fontFamily}`;
    this.brush.textBaseline = "middle";
    this.hatch = hatched(this.brush, scene.colours.dim);
    const draws = scene.view === "hundred" ? drawsOf(scene.open, scene.epsilon, scene.ladder) : null;
    for (let row = down[0]; row < down[1]; row += 1) {
      const scale = greatest(scene, row, columns.length);
      for (let column = across[0]; column < across[1]; column += 1)
        this.cell(row, column, column * wide - x, row * ROW - y, scale, draws);
    }
  }

  named([first, last], [top, foot]) {
    const { wide, sloped, high, left, rows, columns } = this.sizes;
    const head = (column) => {
      const name = h("b", { title: columns[column] }, short(columns[column], sloped ? 14 * LETTER : wide - 4));
      Object.assign(name.style, sloped ? { left: `${(column + 0.5) * wide - 6}px` } : { left: `${column * wide}px`, width: `${wide}px` });
      return name;
    };
    const name = (row) => {
      const found = h("b", { title: rows[row] }, rows[row]);
      Object.assign(found.style, { top: `${row * ROW}px`, width: `${left}px` });
      return found;
    };
    const each = (from, to, make) => Array.from({ length: Math.max(to - from, 0) }, (_, place) => make(from + place));
    const shown = `${first},${last},${top},${foot},${wide},${high},${left},${this.scene.open.name},${rows.join()},${columns.join()}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.heads.classList.toggle("sloped", sloped);
    this.heads.replaceChildren(...each(first, last, head));
    this.names.replaceChildren(...each(top, foot, name));
  }

  /** One cell: a bar of its share of the row's greatest, or its hundred draws, or its error in a shade; and its figure. */
  cell(row, column, x, y, scale, draws) {
    const { scene, brush, hatch } = this;
    const { open, picture, view, colours } = scene;
    const i = grid(open).at(row, column);
    if (i >= open.cells.length) return;
    const wide = this.sizes.wide - 3;
    const high = ROW - 3;
    const [value, noisy, tally] = [picture.value[i], picture.noisy[i], open.true[i]];
    const at = (number) => x + Math.min(Math.max(number / scale, 0), 1) * this.sizes.bar;
    brush.fillStyle = colours.soft;
    brush.globalAlpha = 0.45;
    brush.fillRect(x, y, wide, high);
    brush.globalAlpha = 1;
    if (noisy) {
      brush.fillStyle = hatch;
      brush.fillRect(x, y, wide, high);
    } else if (view === "cells") this.shade(picture.error[i], x, y, wide, high);
    else if (view === "beside" && scale && typeof value === "number") {
      brush.fillStyle = colours.noisy;
      brush.globalAlpha = picture.lower[i] === null ? 0 : 0.32;
      brush.fillRect(x, y, Math.max(at(value) - x, 1), high);
      brush.globalAlpha = 1;
    }
    if (draws && scale) {
      brush.fillStyle = colours.noisy;
      brush.globalAlpha = STROKE;
      for (const drawn of draws(i)) if (typeof drawn === "number" && drawn >= 0 && drawn <= scale) brush.fillRect(at(drawn) - 1, y + 2, 2, high - 4);
      brush.globalAlpha = 1;
    }
    if (view !== "cells" && scale && typeof tally === "number") this.truth(at(tally), y, high);
    if (view !== "cells" && !scale && typeof tally === "number") this.told(tally, x + EDGE, y, high);
    if (!draws || !scale) this.figure(i, x + wide - EDGE, y + high / 2 + 0.5, draws);
  }

  shade(error, x, y, wide, high) {
    const { brush, scene } = this;
    brush.fillStyle = scene.colours.noisy;
    brush.globalAlpha = error === null || error <= LITTLE ? 0 : error <= SOME ? 0.15 : 0.36;
    brush.fillRect(x, y, wide, high);
    brush.globalAlpha = 1;
  }

  truth(x, y, high) {
    const { brush, scene } = this;
    brush.fillStyle = scene.colours.card;
    brush.fillRect(x - 1.75, y - 0.5, 5, high + 1);
    brush.fillStyle = scene.colours.ink;
    brush.fillRect(x - 0.5, y - 0.5, 2.5, high + 1);
  }

  /** What is true as a number, where there are no bars that a line could cross. */
  told(tally, x, y, high) {
    const { brush, scene } = this;
    const said = scene.write.value(tally, Math.abs(tally));
    brush.textAlign = "left";
    brush.fillStyle = scene.colours.card;
    brush.fillRect(x - 2, y + 4, brush.measureText(said).width + 12, high - 8);
    this.truth(x, y + 6, high - 12);
    brush.fillStyle = scene.colours.dim;
    brush.fillText(said, x + 7, y + high / 2 + 0.5);
  }

  /** The number, or between which 95 of a hundred lie, on paper of its own: neither hatch nor line goes through it. */
  figure(i, x, y, draws) {
    const { brush, scene } = this;
    const { picture, write, view, colours } = scene;
    const [value, error, noisy] = [picture.value[i], picture.error[i], picture.noisy[i]];
    const number = draws ? spread(draws(i), write) : typeof value === "number" ? write.value(value, Math.abs(value)) : (value ?? "–");
    const said = view !== "cells" ? number : error === null ? "–" : `± ${write.percent(error)}`;
    const wide = brush.measureText(said).width;
    brush.textAlign = "right";
    if (noisy || view !== "cells") {
      brush.fillStyle = colours.card;
      brush.globalAlpha = noisy ? 0.92 : 0.6;
      brush.fillRect(x - wide - 2, y - 8, wide + 4, 16);
      brush.globalAlpha = 1;
    }
    brush.fillStyle = noisy ? colours.dim : colours.ink;
    brush.fillText(said, x, y);
  }

  /** Says what the pointer is on. */
  point(event) {
    const { sizes, scene } = this;
    const { left, top } = this.body.getBoundingClientRect();
    const { rows, columns, wide } = sizes;
    const [row, column] = [Math.floor((event.clientY - top) / ROW), Math.floor((event.clientX - left) / wide)];
    const i = grid(scene.open).at(row, column);
    if (!(row in rows) || !(column in columns) || i >= scene.open.cells.length) return;
    const tally = scene.open.true[i];
    const known = typeof tally === "number" ? `${scene.truth}: ${scene.write.value(tally, Math.abs(tally))}` : "";
    this.body.title = [`${rows[row]}, ${columns[column]}`, figure(scene, i), known].filter(Boolean).join("\n");
  }

  end() {
    this.frame.removeEventListener("scroll", this.scrolled);
  }
}

/** The row's greatest number of those that can be used; of none such the greatest true one. 0 where no bar has a sense. */
function greatest({ open, picture }, row, columns) {
  const { at } = grid(open);
  if (open.look === "matrix") return 0;
  let [usable, every] = [0, 0];
  for (let column = 0; column < columns; column += 1) {
    const i = at(row, column);
    const [value, tally] = [picture.value[i], open.true[i]].map((each) => (typeof each === "number" ? each : 0));
    if (tally < 0) return 0;
    every = Math.max(every, tally, picture.noisy[i] ? 0 : value);
    if (!picture.noisy[i]) usable = Math.max(usable, value, tally);
  }
  return usable || every;
}

/** Between which numbers 95 of a hundred draws lie. */
function spread(draws, write) {
  const values = draws.filter((each) => typeof each === "number").sort((one, other) => one - other);
  const cut = Math.floor(values.length * 0.025);
  const [low, high] = [values[cut], values[values.length - 1 - cut]];
  return low === undefined ? "–" : `${write.value(low, Math.abs(low))} … ${write.value(high, Math.abs(high))}`;
}

/** Slanted lines, as a fill. */
function hatched(brush, colour) {
  const tile = h("canvas", { width: 7, height: 7 });
  const line = tile.getContext("2d");
  line.strokeStyle = colour;
  line.globalAlpha = 0.55;
  line.lineWidth = 1.2;
  line.beginPath();
  for (const from of [-7, 0, 7]) {
    line.moveTo(from, 7);
    line.lineTo(from + 7, 0);
  }
  line.stroke();
  return brush.createPattern(tile, "repeat");
}

const sums = new WeakMap();

/** The true tables without one of the keys, each {name, kept, cells}: sums of cells that add up. */
function without(open) {
  if (!sums.has(open)) sums.set(open, open.coarser.map(({ key, place }) => ({ key, kept: open.keys.filter((_, other) => other !== place), cells: summed(open, place) })));
  return sums.get(open);
}

function summed({ keys, true: tallies }, place) {
  const inner = keys.slice(place + 1).reduce((all, { labels }) => all * labels.length, 1);
  const own = keys[place].labels.length;
  const cells = new Float64Array(tallies.length / own);
  tallies.forEach((tally, i) => {
    cells[Math.floor(i / (inner * own)) * inner + (i % inner)] += tally;
  });
  return cells;
}

/** The table with one key less that has most cells of those with few too noisy, or else the least share of such. */
export function coarser(open, picture, half) {
  const own = picture.noisy.filter(Boolean).length / picture.noisy.length;
  if (half === null || !own) return null;
  const found = without(open).map((table) => ({ ...table, bad: table.cells.filter((each) => half > each * TOO_NOISY).length }));
  const share = ({ bad, cells }) => bad / cells.length;
  const fine = found.filter((each) => share(each) <= FEW).sort((one, other) => other.cells.length - one.cells.length);
  const best = fine[0] ?? found.sort((one, other) => share(one) - share(other))[0];
  return best && share(best) < own ? best : null;
}
