// The opened statistic: its title, what is usable, three views, and the same in words.

import { charted } from "./charts.js";
import { h, s, setText } from "./dom.js";
import { halfOf } from "./draws.js";
import { icon } from "./icons.js";
import { Matrix, coarser, gridded } from "./matrix.js";
import { figure, signed } from "./rows.js";
import { drawing } from "./shades.js";
import { panelled } from "./tables.js";

const VIEWS = ["beside", "hundred", "cells"];
const MOST_SPOKEN = 50;
const MOST_DRAWN = 400;
const REST = 500;
/** So many rows or tiles are shown whole; of more the picture scrolls by itself. */
const MOST_OPEN = 24;

export class Card {
  constructor(state) {
    this.state = state;
    this.title = h("h3", { id: "bench-title" });
    this.chip = h("span", { class: "chip" });
    this.near = h("span", { class: "chip plain" });
    this.actions = {
      edit: () => state.ask("edit", state.selected),
      up: () => state.move(-1),
      down: () => state.move(1),
      remove: () => state.ask("remove", state.selected),
    };
    this.buttons = Object.entries(this.actions).map(([name, act]) =>
      h("button", { type: "button", class: "small", "data-focus": name, onclick: act }, icon(name)),
    );
    this.tabs = VIEWS.map((view) => this.tab(view));
    this.tablist = h("div", { class: "views", role: "tablist", onkeydown: (event) => this.rove(event) }, this.tabs);
    this.legend = h("p", { class: "legend" });
    this.chart = h("div", { class: "chart" });
    this.matrix = new Matrix(this.chart);
    this.alone = h("span");
    this.take = h("button", { type: "button", class: "take", "data-focus": "coarsen", onclick: () => state.ask("coarsen", this.less) });
    this.coarse = h("p", { class: "coarse" }, this.alone, " ", this.take);
    this.read = h("p", { class: "read" });
    this.note = h("p", { class: "note" });
    this.table = h("div", { class: "unseen" });
    const panel = { role: "tabpanel", id: "bench-view", tabindex: 0, "data-focus": "view" };
    this.panel = h("div", panel, this.legend, this.read, this.coarse, this.chart, this.note, this.table);
    const chips = h("p", { class: "chips" }, this.chip, this.near);
    const named = h("div", { class: "titled" }, this.title, h("span", { class: "acts" }, this.buttons), chips);
    const head = h("div", { class: "card-head" }, named, this.tablist);
    this.root = h("section", { class: "card box", "aria-labelledby": "bench-title" }, head, this.panel);
  }

  tab(view) {
    const role = { type: "button", role: "tab", id: `bench-tab-${view}`, "aria-controls": "bench-view", "data-focus": view };
    return h("button", { ...role, onclick: () => this.state.setView(view) });
  }

  rove(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    const place = (VIEWS.indexOf(this.state.view) + by + VIEWS.length) % VIEWS.length;
    this.state.setView(VIEWS[place]);
    this.tabs[place].focus();
    event.preventDefault();
    event.stopPropagation();
  }

  update() {
    const { state } = this;
    this.invented = state.data.mode === "invented";
    const short = state.phone ? "_short" : "";
    const names = [this.invented ? "bench_beside_invented" : "bench_beside", `bench_hundred${short}`, `bench_cells${short}`];
    names.forEach((name, i) => setText(this.tabs[i], state.say(name)));
    this.tablist.setAttribute("aria-label", state.say("bench_views"));
    setText(this.take, state.say("bench_coarsen"));
    Object.keys(this.actions).forEach((name, i) => {
      this.buttons[i].setAttribute("aria-label", state.say(`bench_${name}`));
      this.buttons[i].title = state.say(`bench_${name}`);
    });
  }

  draw() {
    const { state } = this;
    VIEWS.forEach((view, i) => {
      this.tabs[i].setAttribute("aria-selected", String(view === state.view));
      this.tabs[i].tabIndex = view === state.view ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", `bench-tab-${state.view}`);
    const row = state.data.statistics.find((each) => each.id === state.selected);
    const { open, picture } = state;
    setText(this.title, open?.title || row?.title || "");
    for (const button of this.buttons) button.hidden = !row;
    clearTimeout(this.rest);
    if (!picture) this.wait();
    else this.show(open, picture);
  }

  /** While tallies are being made: what is counted, and how far that is. */
  wait() {
    const { state } = this;
    const progress = state.open?.progress ?? state.data.progress;
    this.chip.hidden = this.near.hidden = this.note.hidden = this.read.hidden = this.coarse.hidden = true;
    this.legend.replaceChildren();
    this.table.replaceChildren();
    const bar = progress && h("progress", { max: 1, value: progress.share, "aria-label": progress.label });
    const said = progress?.label ?? state.say(state.data.statistics.length ? "bench_not_yet" : "bench_none");
    this.put(h("div", { class: "skeleton" }, h("p", { class: progress ? "" : "later" }, said), bar));
  }

  show(open, picture) {
    const { state } = this;
    const bad = picture.noisy.filter(Boolean).length;
    const all = picture.noisy.length;
    const { caveats, many } = open.read;
    this.read.hidden = !caveats.length;
    this.read.className = many ? "read many" : "read";
    const value = open.true.length === 1 && typeof open.true[0] === "number" && state.writes(open).value(open.true[0], Math.abs(open.true[0]));
    setText(this.read, `${many ? "▲ " : ""}${state.truth("value")}: ${[value, ...caveats].filter(Boolean).join("; ")}`);
    this.chip.hidden = picture.error.every((each) => each === null) || (many && !bad);
    this.chip.className = `chip ${bad ? "stop" : "good"}`;
    setText(this.chip, state.say(bad ? "bench_noisy" : "bench_usable", { count: all, bad: state.write.fixed(bad), all: state.write.fixed(all) }));
    this.near.hidden = picture.near === null;
    if (picture.near !== null) {
      const values = { epsilon: state.write.loss(picture.near), count: open.ladder.epsilon.length };
      setText(this.near, state.say("bench_nearest", values));
    }
    const inGrid = gridded(open, state.view);
    this.legend.replaceChildren(...this.said(open, inGrid));
    this.offer(open, picture);
    const drawn = inGrid ? open.cells.length : Math.min(open.cells.length, MOST_DRAWN);
    const whole = open.cells.length + (open.left_out ?? 0);
    this.note.hidden = drawn === whole;
    setText(this.note, state.say("bench_first", { count: state.write.fixed(drawn), all: state.write.fixed(whole) }));
    const scene = this.scene(inGrid ? open : trimmed(open), picture);
    const nothing = picture.value.every((each) => each === null || (open.look !== "words" && !Number.isFinite(each)));
    const undrawn = !inGrid && state.view === "hundred" && !state.draws?.length;
    this.chart.toggleAttribute("data-capped", inGrid || scene.open.cells.length > MOST_OPEN);
    if (nothing || undrawn) this.put(h("div", { class: "skeleton" }, h("p", null, state.say(nothing ? "bench_empty" : "bench_undrawn"))));
    else if (scene.width > 0 && inGrid) {
      if (!this.matrix.root.isConnected) this.put(this.matrix.root);
      this.matrix.draw(scene);
    } else if (scene.width > 0) this.put(...charted(scene));
    this.reached();
    this.rest = setTimeout(() => this.spell(scene), REST);
  }

  /** Puts a picture in its frame, which keeps its place as far as it goes. */
  put(...children) {
    this.chart.style.height = "";
    this.chart.replaceChildren(...children);
  }

  /** What is higher or wider than its frame is reached by keys as well. */
  reached() {
    const { chart } = this;
    const more = chart.scrollHeight > chart.clientHeight + 1 || chart.scrollWidth > chart.clientWidth + 1;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-labelledby", "bench-title"]])
      if (more) chart.setAttribute(name, value);
      else chart.removeAttribute(name);
  }

  /** The table with one key less, where fewer of it are too noisy. */
  offer(open, picture) {
    const { state } = this;
    const found = open.coarser?.length && !open.left_out ? coarser(open, picture, halfOf(open, state.epsilon, state.data.ladder)) : null;
    this.coarse.hidden = !found;
    this.chart.toggleAttribute("data-beside", Boolean(found));
    if (!found) return;
    this.less = [open.statistic, found.key];
    const keys = found.kept.map(({ title }) => title).join(state.say("bench_and"));
    setText(this.alone, state.say("bench_coarser", { keys, bad: state.write.fixed(found.bad), all: state.write.fixed(found.cells.length), count: found.bad }));
  }

  scene(shown, picture) {
    const { state } = this;
    const style = getComputedStyle(this.root);
    const colour = (name) => [name, style.getPropertyValue(`--${name}`).trim()];
    return {
      open: shown,
      epsilon: state.epsilon,
      ladder: state.data.ladder,
      picture,
      draws: state.draws,
      view: state.view,
      invented: this.invented,
      truth: state.truth("value"),
      write: state.writes(shown),
      say: (id, values) => state.say(`bench_${id}`, values),
      panel: (i) => panelled(shown, i, shown.cells[i].label),
      width: Math.floor(this.chart.clientWidth),
      phone: state.phone,
      colours: Object.fromEntries(["noisy", "ink", "dim", "card", "soft"].map(colour)),
    };
  }

  said(open, inGrid) {
    const { state, invented } = this;
    const mark = h("span", { class: "secret" }, invented ? state.say("bench_invented") : `⚠ ${state.say("bench_secret")}`);
    if (open.look === "words") return [mark];
    const hatch = h("span", null, sample(inGrid ? "hatch" : "hollow_mark"), state.say("bench_too_noisy"));
    if (state.view === "cells") return [h("span", null, state.say("bench_half")), inGrid && hatch, mark].filter(Boolean);
    const draws = inGrid && state.view === "hundred" ? (open.law ? 100 : open.ladder?.draws[0].length) : state.draws?.length;
    const many = draws ? state.say("bench_one_of", { count: draws }) : state.say(inGrid ? "bench_would_be_short" : "bench_would_be");
    const dots = !inGrid && (open.look === "boxes" || open.look === "span" || !(open.additive || open.look === "stairs" || state.draws));
    return [
      h("span", null, sample(inGrid ? "share" : "noisy"), many),
      h("span", null, sample(dots ? "diamond" : "true"), state.truth("value")),
      (inGrid || (open.look !== "stairs" && !state.draws)) && hatch,
      mark,
    ].filter(Boolean);
  }

  /** The same as a table, for who hears the page; once the slider rests. */
  spell(scene) {
    const { open, picture, write } = scene;
    const column = (id) => h("th", { scope: "col" }, scene.say(id));
    const head = h("tr", null, h("td"), column("would_be"), h("th", { scope: "col" }, scene.truth));
    const rows = open.cells.slice(0, MOST_SPOKEN).map((_, i) => {
      const tally = open.true[i];
      const known = typeof tally === "number" ? write.value(tally, Math.abs(tally)) : tally;
      const drawn = typeof picture.value[i] === "number" ? [figure(scene, i), signed(scene, i)].filter(Boolean).join(", ") : picture.value[i];
      return h("tr", null, h("th", { scope: "row" }, scene.panel(i)), h("td", null, drawn), h("td", null, known));
    });
    this.table.replaceChildren(h("table", null, h("caption", null, this.title.textContent), h("thead", null, head), h("tbody", null, rows)));
  }

  end() {
    clearTimeout(this.rest);
    this.matrix.end();
  }
}

const cut = new WeakMap();

/** The first cells of a table that has more than can be drawn. */
function trimmed(open) {
  if (open.cells.length <= MOST_DRAWN) return open;
  if (!cut.has(open)) {
    const panels = open.panels.map(({ label, cells }) => ({ label, cells: cells.filter((i) => i < MOST_DRAWN) }));
    const kept = { cells: open.cells.slice(0, MOST_DRAWN), true: open.true.slice(0, MOST_DRAWN) };
    cut.set(open, { ...open, ...kept, panels: panels.filter(({ cells }) => cells.length) });
  }
  return cut.get(open);
}

/** A small picture of a mark, for the legend. */
function sample(kind) {
  const parts = {
    noisy: () => [s("rect", { x: 4, y: 3, width: 14, height: 11, class: "noisy" }), s("path", { d: "M11 0V9", class: "range" })],
    share: () => [s("rect", { x: 1, y: 0.5, width: 14, height: 13, class: "noisy share" })],
    true: () => [s("line", { x1: 1, y1: 7, x2: 21, y2: 7, class: "true" })],
    diamond: () => [s("path", { d: "M11 1L16 7L11 13L6 7Z", class: "hollow" })],
    hollow_mark: () => [s("rect", { x: 2, y: 1, width: 18, height: 12, rx: 3, class: "too-noisy" })],
    hatch: () => [s("rect", { x: 1, y: 0.5, width: 20, height: 13, class: "patch" }), s("path", { d: "M1 8L8 0.5M3 13.5L15 0.5M10 13.5L21 1.5M17 13.5L21 9", class: "lines" })],
  };
  return drawing(22, 14, parts[kind]());
}
