// The opened statistic: its title, what is usable, three views, and the same in words.

import { cells } from "./cells.js";
import { h, s, setText } from "./dom.js";
import { marks } from "./marks.js";
import { HATCH, drawing } from "./shades.js";

const VIEWS = ["beside", "hundred", "cells"];

export class Card {
  constructor(state) {
    this.state = state;
    this.title = h("h3", { id: "bench-title" });
    this.chip = h("span", { class: "chip" });
    this.near = h("span", { class: "chip plain" });
    this.tabs = VIEWS.map((view) =>
      h("button", { type: "button", role: "tab", id: `bench-tab-${view}`, "aria-controls": "bench-view", "data-focus": view, onclick: () => state.setView(view) }),
    );
    this.tablist = h("div", { class: "views", role: "tablist", onkeydown: (event) => this.rove(event) }, this.tabs);
    this.legend = h("p", { class: "legend" });
    this.chart = h("div", { class: "chart" });
    this.table = h("div", { class: "unseen" });
    this.panel = h("div", { role: "tabpanel", id: "bench-view", tabindex: 0, "data-focus": "view" }, this.legend, this.chart, this.table);
    const head = h("div", { class: "card-head" }, h("div", null, this.title, h("p", { class: "chips" }, this.chip, this.near)), this.tablist);
    this.root = h("section", { class: "card box", "aria-labelledby": "bench-title" }, head, this.panel);
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
    const invented = state.data.mode === "invented";
    const short = state.phone ? "_short" : "";
    const names = [invented ? "bench_beside_invented" : "bench_beside", `bench_hundred${short}`, `bench_cells${short}`];
    names.forEach((name, i) => setText(this.tabs[i], state.say(name)));
    this.tablist.setAttribute("aria-label", state.say("bench_views"));
    this.shown = null;
  }

  draw() {
    const { state } = this;
    VIEWS.forEach((view, i) => {
      this.tabs[i].setAttribute("aria-selected", String(view === state.view));
      this.tabs[i].tabIndex = view === state.view ? 0 : -1;
    });
    this.panel.setAttribute("aria-labelledby", `bench-tab-${state.view}`);
    const { open, picture } = state;
    setText(this.title, open?.title ?? state.data.statistics.find((each) => each.id === state.selected)?.title ?? "");
    this.root.toggleAttribute("data-empty", !picture);
    if (!picture) this.wait();
    else this.show(open, picture);
  }

  /** While tallies are being made: what is counted, and how far that is. */
  wait() {
    const { state } = this;
    const progress = state.data.open?.progress ?? state.data.progress;
    this.chip.hidden = this.near.hidden = true;
    this.legend.replaceChildren();
    this.table.replaceChildren();
    const bar = progress && h("progress", { max: 1, value: progress.share, "aria-label": progress.label });
    this.chart.replaceChildren(h("div", { class: "skeleton" }, progress && h("p", null, progress.label), bar));
  }

  show(open, picture) {
    const { state } = this;
    const bad = picture.noisy.filter(Boolean).length;
    const all = picture.noisy.length;
    this.chip.hidden = picture.error.every((each) => each === null);
    this.chip.className = `chip ${bad ? "stop" : "good"}`;
    setText(this.chip, state.say(bad ? "bench_noisy" : "bench_usable", { count: bad || all, bad, all }));
    this.near.hidden = picture.near === null;
    if (picture.near !== null) setText(this.near, state.say("bench_nearest", { epsilon: state.write.loss(picture.near) }));
    this.legend.replaceChildren(...this.said(open));
    this.chart.replaceChildren(...this.drawn(open, picture));
  }

  drawn(open, picture) {
    const { state } = this;
    const style = getComputedStyle(this.root);
    const colours = { noisy: style.getPropertyValue("--noisy").trim() };
    const scene = { open, picture, draws: state.draws, write: state.write, say: (id, values) => state.say(`bench_${id}`, values) };
    Object.assign(scene, { width: Math.floor(this.chart.clientWidth), phone: state.phone, colours });
    return scene.width > 0 ? (state.view === "cells" ? cells(scene) : marks(scene)) : [];
  }

  said(open) {
    const { state } = this;
    const mark = h("span", { class: "secret" }, state.data.mode === "invented" ? state.say("bench_invented") : `⚠ ${state.say("bench_secret")}`);
    if (state.view === "cells") return [h("span", null, state.say("bench_half")), mark];
    const invented = state.data.mode === "invented";
    return [
      h("span", null, sample("noisy"), state.say(state.view === "hundred" ? "bench_one_of_hundred" : "bench_would_be")),
      h("span", null, sample("true"), state.say(invented ? "bench_invented_value" : "bench_true_value")),
      h("span", null, sample("hatch"), state.say("bench_too_noisy")),
      mark,
    ];
  }
}

/** A small picture of a mark, for the legend. */
function sample(kind) {
  const parts = {
    noisy: [s("rect", { x: 4, y: 3, width: 14, height: 11, class: "noisy" }), s("path", { d: "M11 0V9", class: "range" })],
    true: [s("line", { x1: 1, y1: 7, x2: 21, y2: 7, class: "true" })],
    hatch: [s("rect", { x: 2, y: 1, width: 18, height: 12, class: "too-noisy", fill: `url(#${HATCH})` })],
  };
  return drawing(22, 14, parts[kind]);
}
