// The workbench's one component. Streamlit calls the default export anew with each change of its data: what is on the
// page is made once, and every listener asks the one state at the time of the event.

import { Card } from "./card.js";
import { h } from "./dom.js";
import { Budget, Foot } from "./edges.js";
import { listen } from "./keys.js";
import { List } from "./list.js";
import { Slider } from "./slider.js";
import { State } from "./state.js";
import { Summaries } from "./summaries.js";

const benches = new WeakMap();

export default function bench({ parentElement, data, setTriggerValue }) {
  if (!data?.[0]) return undefined; // emptied
  if (!benches.has(parentElement)) benches.set(parentElement, new Bench(parentElement));
  const found = benches.get(parentElement);
  found.update(data, setTriggerValue);
  const { turn } = found;
  return () => found.leave(parentElement, turn); // also called for a turn that a later one overtakes
}

class Bench {
  constructor(parent) {
    this.turn = 0;
    this.state = new State(() => this.schedule());
    this.parts = [new Budget(this.state), new List(this.state), new Slider(this.state), new Card(this.state)];
    this.parts.push(new Summaries(this.state), new Foot(this.state));
    const [budget, list, slider, card, summaries, foot] = this.parts.map((part) => part.root);
    this.right = h("div", { class: "right" }, slider, card, summaries, foot);
    this.root = h("div", { class: "bench" }, budget, h("div", { class: "halves" }, list, this.right));
    this.root.style.visibility = "hidden"; // until the style sheet, which says otherwise, has come
    listen(this.root, this.state);
    this.watch = new ResizeObserver(() => this.schedule());
    this.watch.observe(this.right);
    parent.append(this.root);
  }

  update(bytes, send) {
    this.turn += 1;
    if (this.bytes !== bytes) this.empty();
    this.bytes = bytes;
    const data = JSON.parse(new TextDecoder().decode(bytes));
    this.state.take(data, send);
    this.root.dataset.mode = data.mode;
    this.root.toggleAttribute("data-dark", isDark(this.root));
    for (const part of this.parts) part.update();
    this.draw();
  }

  /** Draws before the next frame, once however much has changed. */
  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.state.data) return;
    this.state.look();
    this.root.toggleAttribute("data-over", this.state.over > 0);
    for (const part of this.parts) part.draw();
  }

  /** Streamlit keeps its messages for a while, React longer: what was shown must not stay in the page's memory. */
  empty() {
    this.bytes?.fill(0);
    this.bytes = null;
  }

  /** Ends with the page's element. While that stands, a later turn follows: what has the focus must not go. */
  leave(parent, turn) {
    if (turn !== this.turn || parent.isConnected) return;
    this.empty();
    cancelAnimationFrame(this.frame);
    this.watch.disconnect();
    this.state.end();
    for (const part of this.parts) part.end?.();
    this.root.remove();
    this.parts = [];
    benches.delete(parent);
  }
}

/** Whether Streamlit's paper is dark. */
function isDark(element) {
  const brush = document.createElement("canvas").getContext("2d");
  brush.fillStyle = getComputedStyle(element).getPropertyValue("--st-background-color").trim() || "#ffffff";
  const [red, green, blue] = [1, 3, 5].map((place) => parseInt(brush.fillStyle.slice(place, place + 2), 16));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
