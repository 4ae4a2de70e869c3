// The one state: what the server said, what the person changed since, and what is drawn of both.

import { hundred, pictured } from "./draws.js";
import { gridded } from "./matrix.js";
import { between, day, nearest, writer } from "./numbers.js";

const PAUSE = 350;
/** So long what a person changed stands against a server that still says the former. */
const PATIENCE = 2500;

/** A value that a person changes here first, and that the server says again later. */
class Held {
  change(value) {
    this.value = value;
    this.until = Date.now() + PATIENCE;
  }

  said(value) {
    this.server = value;
    if (value === this.value || !(Date.now() < this.until)) this.settle();
  }

  settle() {
    this.value = this.server;
    this.until = 0;
  }
}

export class State {
  constructor(changed) {
    this.changed = changed;
    this.held = { epsilon: new Held(), selected: new Held(), view: new Held() };
    this.clear();
  }

  /** Takes what the server says now. */
  take(data, send) {
    const known = this.data?.open;
    this.data = data;
    this.send = send;
    this.write = writer(data.number);
    if (!this.timer) this.held.epsilon.said(data.epsilon.value);
    this.held.selected.said(data.selected);
    this.held.view.said(data.view);
    const { open } = data;
    if (open?.name !== known?.name) this.turn = this.drawnAt = 0;
    else if (open && JSON.stringify(open.drawn) !== JSON.stringify(known.drawn)) this.drawnAt = this.turn;
    clearTimeout(this.late);
    this.late = setTimeout(() => this.believe(), PATIENCE);
  }

  /** After some patience the server is right. */
  believe() {
    if (this.timer) return;
    for (const held of Object.values(this.held)) if (held.value !== held.server) held.settle();
    this.changed();
  }

  get epsilon() {
    return this.held.epsilon.value;
  }

  get selected() {
    return this.held.selected.value;
  }

  get view() {
    return this.held.view.value;
  }

  /** What is opened, if it is what is selected. */
  get open() {
    const { open } = this.data;
    return open && open.statistic === this.selected ? open : null;
  }

  /** How much more than what is left this release takes. */
  get over() {
    return this.epsilon - this.data.epsilon.left > 1e-9 ? this.epsilon - this.data.epsilon.left : 0;
  }

  get phone() {
    return window.innerWidth <= 640;
  }

  say(id, values = {}) {
    const text = this.data.words[id] ?? id;
    const form = typeof text === "string" ? text : values.count === 1 ? text.one : text.other;
    return form.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
  }

  /** What the exact values are called: true without more only where every cell that they are of was read as it is. */
  truth(kind, values) {
    const { bounded, caveats } = this.open?.read ?? {};
    const word = bounded ? "true_within" : caveats?.length ? "true_understood" : "true_value";
    if (kind === "value") return this.say(this.data.mode === "invented" ? "bench_invented_value" : `bench_${word}`);
    return this.say(this.data.mode === "invented" ? "bench_invented_is" : bounded ? "bench_true_within_is" : "bench_true_is", values);
  }

  /** The writer of a table's numbers: days, whole numbers, or others. */
  writes(open) {
    if (open.days?.values) return { ...this.write, value: day };
    const known = open.true.filter((each) => typeof each === "number");
    const whole = known.length > 0 && known.every(Number.isInteger) && (open.law ? Number.isInteger(open.law.step) : open.additive);
    return whole ? { ...this.write, value: (value) => this.write.fixed(value) } : this.write;
  }

  /** The percentage of the sentence beside the slider. */
  get sure() {
    const points = this.data.sure;
    return between(points.map(([epsilon]) => epsilon), points.map(([, percent]) => percent), this.epsilon);
  }

  /** Works out what is drawn at this ε. */
  look() {
    const { open } = this;
    const drawn = this.turn === this.drawnAt ? open?.drawn : null;
    this.picture = open ? pictured(open, drawn, this.epsilon, this.data.ladder, this.turn) : null;
    const many = (this.view === "hundred" && open && !gridded(open, this.view)) || (this.view === "cells" && open?.look === "words");
    this.draws = this.picture && many ? hundred(open, this.epsilon, this.data.ladder) : null;
  }

  /** The slider stands at an allowed ε; it is said after a pause, with what was seen since the last one. */
  setEpsilon(epsilon) {
    if (epsilon === this.epsilon) return;
    if (!this.seen.length) this.seen = [this.epsilon];
    this.held.epsilon.change(epsilon);
    this.seen.push(epsilon);
    this.rest();
    this.changed();
  }

  /** Begins the pause after which ε is said; while a pointer is down none begins, for what is said remakes the page. */
  rest() {
    clearTimeout(this.timer);
    this.timer = this.dragged || !this.seen.length ? 0 : setTimeout(() => this.commit(), PAUSE);
  }

  /** To the next allowed ε, or several further. */
  step(by) {
    const { steps } = this.data.epsilon;
    const place = Math.min(Math.max(nearest(steps, this.epsilon) + by, 0), steps.length - 1);
    this.setEpsilon(steps[place]);
  }

  commit() {
    if (!this.timer) return;
    clearTimeout(this.timer);
    this.timer = 0;
    const { seen, epsilon, view } = this;
    const looks = this.open ? new Set(seen).size - 1 : 0;
    this.seen = [];
    this.held.epsilon.until = Date.now() + PATIENCE;
    const range = { least: Math.min(...seen), most: Math.max(...seen) };
    this.send("look", { epsilon, ...range, looks: Math.max(looks, 1), view, statistic: this.selected });
  }

  select(id) {
    if (id === this.selected) return;
    this.commit();
    this.held.selected.change(id);
    this.send("open", id);
    this.changed();
  }

  setView(view) {
    if (view === this.view) return;
    this.commit();
    this.held.view.change(view);
    this.send("view", view);
    this.changed();
  }

  anotherDraw() {
    if (!this.open) return;
    this.commit();
    this.turn += 1;
    this.send("draw", this.turn);
    this.changed();
  }

  /** A statistic one place up or down. */
  move(by, id = this.selected) {
    const ids = this.data.statistics.map((each) => each.id);
    const place = ids.indexOf(id) + by;
    if (place >= 0 && place < ids.length) this.ask("move", [id, place]);
  }

  /** What the server does alone: add, edit, duplicate, remove, move, undo, redo. */
  ask(name, value = true) {
    this.commit();
    this.send(name, value);
  }

  end() {
    this.commit();
    clearTimeout(this.late);
    this.clear();
  }

  clear() {
    Object.assign(this, { data: null, picture: null, draws: null, send: null, write: null, seen: [], turn: 0, drawnAt: 0, timer: 0 });
  }
}
