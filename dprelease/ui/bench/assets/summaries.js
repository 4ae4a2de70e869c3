// What a reader would conclude from this draw, beside what is true; said aloud once the slider rests.

import { h, setText } from "./dom.js";
import { gridded } from "./matrix.js";
import { panelled } from "./tables.js";

const REST = 500;

export class Summaries {
  constructor(state) {
    this.state = state;
    this.list = h("dl", { class: "summaries box" });
    this.voice = h("p", { class: "unseen", "aria-live": "polite" });
    this.root = h("section", { class: "summary" }, this.list, this.voice);
  }

  update() {
    this.list.setAttribute("aria-label", this.state.say("bench_summary"));
  }

  draw() {
    const { state } = this;
    const { open, picture } = state;
    const inGrid = picture && gridded(open, state.view);
    const found = picture ? concluded(open, picture).filter(({ id }) => !inGrid || id !== "smallest") : [];
    this.list.classList.toggle("grids", Boolean(inGrid));
    this.list.hidden = !found.length;
    const items = found.map((each) => this.item(each));
    this.list.replaceChildren(...items);
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.say(), REST);
  }

  end() {
    clearTimeout(this.rest);
  }

  item({ id, value, tally }) {
    const { state } = this;
    const said = value === null ? state.say("bench_not_usable") : this.shown(value);
    const beside = tally === null || tally === undefined ? null : state.truth("is", { value: this.shown(tally) });
    const named = value?.kind === "cell" || tally?.kind === "cell";
    const parts = [h("dt", null, state.say(`bench_${id}`)), h("dd", null, h("b", { class: value === null && "unusable" }, said), " ", h("small", null, beside))];
    return h("div", { class: named && "named" }, parts);
  }

  shown({ kind, of, size }) {
    const write = this.state.writes(this.state.open);
    if (kind === "cell") return of;
    if (kind === "share") return write.percent(of);
    return `${kind === "error" ? "± " : ""}${write.value(of, size)}`;
  }

  say() {
    const { state } = this;
    if (!state.data || !state.picture) return;
    const facts = [...this.list.children].map((each) => each.textContent);
    setText(this.voice, [`ε ${state.write.loss(state.epsilon)}`, ...facts].join(". "));
  }
}

/** Four conclusions: id, value (null where it is senseless) and tally, each {kind, of, size}. */
function concluded(open, picture) {
  const numbers = picture.value.every((each, i) => typeof each === "number" && picture.lower[i] !== null);
  if (!numbers || picture.value.length < 2 || open.look !== "marks" || open.days?.values) return [];
  return open.additive && !open.overlapping ? summed(open, picture) : compared(open, picture);
}

function summed(open, picture) {
  const { value, noisy } = picture;
  const tally = open.true.every((each) => typeof each === "number") ? open.true : null;
  const groups = grouped(open);
  const [drawn, known] = [value, tally].map((each) => each && totals(groups, each));
  const usable = drawn.total > 0 && noisy.filter(Boolean).length <= noisy.length / 2;
  const of = (kind, get) => ({
    value: usable ? get(drawn, value, kind) : null,
    tally: known && known.total > 0 ? get(known, tally, kind) : null,
  });
  const largest = value.indexOf(Math.max(...value));
  const facts = [
    { id: "total", value: drawn.total > 0 ? number(drawn.total) : null, tally: known && number(known.total) },
    { id: "largest", value: noisy[largest] ? null : cell(open, largest), tally: tally && cell(open, tally.indexOf(Math.max(...tally))) },
  ];
  if (open.ordered && groups.length > 2) {
    facts.splice(1, 0, { id: "middle", ...of("cell", (each, _, kind) => ({ kind, of: groups[each.middle].label })) });
    facts.splice(2, 0, { id: "upper", ...of("share", (each, _, kind) => ({ kind, of: each.upper })) });
  } else {
    const smallest = value.indexOf(Math.min(...value));
    facts.push({ id: "smallest", value: noisy[smallest] ? null : cell(open, smallest), tally: tally && cell(open, tally.indexOf(Math.min(...tally))) });
    facts.push({ id: "largest_share", ...of("share", (each, all, kind) => ({ kind, of: Math.max(...all) / each.total })) });
  }
  return facts;
}

/** The groups along the axis: of a cross table, each with its cells of all panels. */
function grouped(open) {
  const groups = new Map();
  open.cells.forEach(({ label }, i) => (groups.has(label) ? groups.get(label).push(i) : groups.set(label, [i])));
  return [...groups].map(([label, cells]) => ({ label, cells }));
}

/** The sum, the group in which half of it is reached, and the share of the upper third of the groups. */
function totals(groups, values) {
  const sums = groups.map(({ cells }) => cells.reduce((sum, i) => sum + values[i], 0));
  const total = sums.reduce((sum, each) => sum + each, 0);
  let run = 0;
  const middle = sums.findIndex((each) => (run += each) >= total / 2);
  const from = Math.ceil((groups.length * 2) / 3);
  const upper = sums.slice(from).reduce((sum, each) => sum + each, 0) / total;
  return { total, middle: Math.max(middle, 0), upper };
}

function compared(open, picture) {
  const { value, lower, upper, noisy } = picture;
  const tally = open.true.every((each) => typeof each === "number") ? open.true : null;
  const [most, least] = [value.indexOf(Math.max(...value)), value.indexOf(Math.min(...value))];
  const halves = value.map((_, i) => (upper[i] - lower[i]) / 2).sort((a, b) => a - b);
  const gap = value[most] - value[least];
  const apart = gap > upper[most] - value[most] + (value[least] - lower[least]);
  const size = Math.max(...value.map(Math.abs));
  const [high, low] = tally ? [Math.max(...tally), Math.min(...tally)] : [];
  return [
    { id: "largest", value: noisy[most] ? null : cell(open, most), tally: tally && cell(open, tally.indexOf(high)) },
    { id: "smallest", value: noisy[least] ? null : cell(open, least), tally: tally && cell(open, tally.indexOf(low)) },
    { id: "gap", value: apart ? number(gap, size) : null, tally: tally && number(high - low, size) },
    { id: "error", value: { kind: "error", of: halves[halves.length >> 1], size }, tally: null },
  ];
}

function number(of, size = Math.abs(of)) {
  return { kind: "number", of, size };
}

function cell(open, i) {
  return { kind: "cell", of: panelled(open, i, open.cells[i].label) };
}
