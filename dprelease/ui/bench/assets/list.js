// The statistics of the plan: what each is, what it takes, and its typical error before any row is read.

import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { between } from "./numbers.js";

const FILTERED = 12;
const GOOD = 0.1;
const FAIR = 0.5;

export class List {
  constructor(state) {
    this.state = state;
    state.shown = [];
    this.title = h("h3");
    this.error = h("span");
    this.search = h("input", { type: "search", class: "search", "data-focus": "search", autocomplete: "off" });
    this.search.addEventListener("input", () => this.update());
    this.rows = h("ul", { class: "rows" });
    this.add = h("button", { type: "button", class: "add", "data-focus": "add", onclick: () => state.ask("add") });
    this.rows.addEventListener("click", (event) => this.open(event));
    this.rows.addEventListener("keydown", (event) => this.rove(event));
    this.strip = h("div", { class: "strip" }, this.rows, this.add);
    this.root = h("section", { class: "list" }, h("div", { class: "list-head" }, this.title, this.error), this.search, this.strip);
  }

  open(event) {
    const row = event.target.closest("button");
    if (row) this.state.select(row.dataset.id);
  }

  /** Up and down move the focus; with Alt they move the statistic itself. */
  rove(event) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const row = event.target.closest("button");
    if (!by || !row) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.altKey) {
      this.state.move(by, row.dataset.id);
      return;
    }
    const buttons = [...this.rows.querySelectorAll("button")];
    buttons[buttons.indexOf(row) + by]?.focus();
  }

  update() {
    const { state } = this;
    const { statistics } = state.data;
    const focused = this.root.getRootNode().activeElement?.dataset?.id;
    setText(this.title, state.say("bench_statistics"));
    setText(this.error, state.say("bench_typical_error"));
    setText(this.add, `+ ${state.say("bench_add")}`);
    this.search.hidden = statistics.length <= FILTERED;
    this.search.setAttribute("aria-label", state.say("bench_filter"));
    this.search.placeholder = state.say("bench_filter");
    const wanted = this.search.hidden ? "" : this.search.value.trim().toLowerCase();
    state.shown = statistics.filter((each) => each.title.toLowerCase().includes(wanted));
    this.chips = new Map();
    this.rows.replaceChildren(...state.shown.map((each) => h("li", null, this.row(each))));
    if (focused) this.rows.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
    this.mark();
  }

  row(each) {
    const { state } = this;
    const chip = h("span", { class: "chip" });
    this.chips.set(each.id, [chip, each]);
    const share = state.write.percent(each.share);
    return h(
      "button",
      { type: "button", class: "row", "data-id": each.id, tabindex: -1 },
      icon(each.icon),
      h("span", { class: "row-title" }, each.title),
      chip,
      each.numbers > 0 && h("span", { class: "row-line" }, state.say("bench_row", { count: each.numbers, numbers: state.write.fixed(each.numbers), share })),
      each.problem && h("span", { class: "row-problem chip stop" }, each.problem),
    );
  }

  draw() {
    const { state } = this;
    this.mark();
    for (const [chip, { error }] of this.chips.values()) {
      const found = between(state.data.ladder, error, state.epsilon);
      chip.hidden = found === null || found === undefined;
      if (chip.hidden) continue;
      setText(chip, `± ${state.write.percent(found)}`);
      chip.className = `chip ${found <= GOOD ? "good" : found <= FAIR ? "care" : "stop"}`;
    }
  }

  /** One row is selected, and one is where Tab comes to. */
  mark() {
    if (this.marked === this.state.selected && this.rows.querySelector("[tabindex='0']")) return;
    const follows = this.marked !== this.state.selected && this.rows.contains(this.root.getRootNode().activeElement);
    this.marked = this.state.selected;
    let stop = null;
    for (const row of this.rows.querySelectorAll("button")) {
      const chosen = row.dataset.id === this.marked;
      row.tabIndex = -1;
      if (chosen) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
      if (chosen || !stop) stop = row;
    }
    if (!stop) return;
    stop.tabIndex = 0;
    if (follows) stop.focus({ preventScroll: true });
    const row = stop.getBoundingClientRect();
    const box = this.rows.getBoundingClientRect();
    this.rows.scrollBy({ top: row.bottom > box.bottom ? row.bottom - box.bottom : Math.min(0, row.top - box.top) });
    if (this.state.phone) this.strip.scrollTo({ left: stop.offsetLeft - 4 });
  }
}
