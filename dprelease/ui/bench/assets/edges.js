// Above and below: the population's budget, and the foot with what can be done.

import { h, setText } from "./dom.js";
import { between } from "./numbers.js";

export class Budget {
  constructor(state) {
    this.state = state;
    this.name = h("b");
    this.line = h("span");
    this.spent = h("span", { class: "spent" });
    this.now = h("span", { class: "now" });
    this.said = h("p", { class: "budget-key" });
    this.root = h(
      "section",
      { class: "budget box" },
      h("p", { class: "budget-name" }, this.name, this.line),
      h("div", { class: "bar", "aria-hidden": "true" }, this.spent, this.now),
      this.said,
    );
  }

  update() {
    const { name, line } = this.state.data.budget;
    setText(this.name, name);
    setText(this.line, line);
  }

  draw() {
    const { state } = this;
    const { budget, ladder } = state.data;
    const release = budget.release ? between(ladder, budget.release, state.epsilon) : state.epsilon;
    const left = budget.left - (release ?? 0);
    const share = (part) => `${100 * Math.min(Math.max(part / budget.cap, 0), 1)}%`;
    this.spent.style.width = share(budget.spent);
    this.now.style.width = share(Math.min(release ?? 0, budget.cap - budget.spent));
    const parts = [
      ["spent", "bench_spent", budget.spent],
      ["now", "bench_release", release],
      ["left", left < -1e-9 ? "bench_over_by" : "bench_left", Math.abs(left)],
    ];
    const said = parts.map(([kind, id, amount]) =>
      h("span", null, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), state.say(id), " ", h("b", null, amount === null ? "–" : state.write.loss(amount))),
    );
    this.said.replaceChildren(...said.flatMap((each, i) => (i ? [" ", each] : [each])));
  }
}

const DOES = {
  draw: (state) => state.anotherDraw(),
  undo: (state) => state.ask("undo"),
  redo: (state) => state.ask("redo"),
  duplicate: (state) => state.ask("duplicate", state.selected),
};

export class Foot {
  constructor(state) {
    this.state = state;
    this.buttons = Object.keys(DOES).map((name) =>
      h("button", { type: "button", "data-focus": name, onclick: () => DOES[name](state) }),
    );
    this.keys = h("p", { class: "keys" });
    this.looks = h("p", { class: "looks" });
    this.root = h("footer", { class: "foot" }, h("div", { class: "buttons" }, this.buttons), this.keys, this.looks);
  }

  update() {
    const { state } = this;
    const { flags } = state.data;
    Object.keys(DOES).forEach((name, i) => setText(this.buttons[i], state.say(`bench_${name}`)));
    const [, undo, redo] = this.buttons;
    undo.disabled = !flags.undo;
    redo.disabled = !flags.redo;
    setText(this.keys, state.say("bench_keys"));
    setText(this.looks, flags.looks ?? "");
  }

  draw() {
    this.buttons[0].disabled = !this.state.open;
    this.buttons[3].disabled = !this.state.selected;
  }
}
