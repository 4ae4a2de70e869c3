// The slider of ε: logarithmic, at allowed values only, hatched past what is left.

import { filled, h, setText } from "./dom.js";
import { nearest } from "./numbers.js";
import { LETTER } from "./shades.js";

const MARKS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const LEAPS = { PageUp: 5, PageDown: -5, ArrowUp: 1, ArrowDown: -1, Home: -Infinity, End: Infinity };

export class Slider {
  constructor(state) {
    this.state = state;
    this.figure = h("p", { class: "figure" });
    this.label = h("p", { class: "label", id: "bench-loss" });
    this.done = h("span", { class: "done" });
    this.beyond = h("span", { class: "beyond" });
    this.thumb = h("span", { class: "thumb" });
    this.scale = h("span", { class: "scale", "aria-hidden": "true" });
    this.track = h(
      "div",
      { class: "slider", role: "slider", tabindex: 0, "aria-labelledby": "bench-loss", "data-focus": "slider" },
      h("span", { class: "rail" }, this.done, this.beyond),
      this.thumb,
    );
    this.sentence = h("p", { class: "sure" });
    this.root = h(
      "section",
      { class: "loss box" },
      h("div", { class: "loss-name" }, this.label, this.figure),
      h("div", { class: "loss-track" }, this.track, this.scale),
      this.sentence,
    );
    this.listen();
  }

  listen() {
    const { track, state } = this;
    const follow = (event) => state.setEpsilon(this.at(event.clientX));
    track.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      track.setPointerCapture(event.pointerId);
      state.dragged = true;
      track.focus();
      follow(event);
      event.preventDefault();
    });
    track.addEventListener("pointermove", (event) => track.hasPointerCapture(event.pointerId) && follow(event));
    track.addEventListener("lostpointercapture", () => {
      state.dragged = false;
      state.rest();
    });
    track.addEventListener("keydown", (event) => {
      if (!(event.key in LEAPS)) return;
      state.step(LEAPS[event.key]);
      event.preventDefault();
      event.stopPropagation();
    });
    track.addEventListener("blur", () => state.commit());
  }

  /** The allowed ε at a place of the screen. */
  at(x) {
    const { steps } = this.state.data.epsilon;
    const { left, width } = this.track.getBoundingClientRect();
    const part = Math.min(Math.max((x - left) / width, 0), 1);
    const first = steps[0];
    return steps[nearest(steps, first * (steps[steps.length - 1] / first) ** part)];
  }

  /** The place of an ε on the track, as a share of its width. */
  place(epsilon) {
    const { steps } = this.state.data.epsilon;
    const share = Math.log(epsilon / steps[0]) / Math.log(steps[steps.length - 1] / steps[0]);
    return Math.min(Math.max(share, 0), 1);
  }

  update() {
    const { steps, left } = this.state.data.epsilon;
    setText(this.label, this.state.say("bench_loss"));
    this.track.setAttribute("aria-valuemin", steps[0]);
    this.track.setAttribute("aria-valuemax", steps[steps.length - 1]);
    this.beyond.style.left = `${100 * this.place(Math.max(left, steps[0]))}%`;
    this.wide = 0;
  }

  /** Round values of ε as far as there is room for them, and where nothing is left. */
  name() {
    const { write, data } = this.state;
    const { steps, left } = data.epsilon;
    this.wide = this.track.clientWidth;
    const end = this.state.say("bench_left_mark", { left: write.loss(left) });
    const at = this.place(Math.max(left, steps[0]));
    const room = at - (0.8 * end.length * LETTER + 12) / (this.wide || 1);
    const inside = MARKS.filter((each) => each >= steps[0] && each <= steps[steps.length - 1] && this.place(each) < room);
    const marks = inside.map((each) => this.mark(write.short(each, 2), this.place(each), ""));
    this.scale.replaceChildren(...marks, this.mark(end, at, "end"));
  }

  mark(text, place, kind) {
    const mark = h("span", { class: kind }, text);
    mark.style.left = `${100 * place}%`;
    return mark;
  }

  draw() {
    const { state } = this;
    const { write, epsilon, data } = state;
    if (this.track.clientWidth !== this.wide) this.name();
    const percent = write.fixed(Math.ceil(state.sure - 1e-9));
    const sure = data.words.bench_sure;
    setText(this.figure, `ε ${write.loss(epsilon)}`);
    const place = `${100 * this.place(epsilon)}%`;
    this.thumb.style.left = place;
    this.done.style.width = place;
    this.track.setAttribute("aria-valuenow", epsilon);
    this.track.setAttribute("aria-valuetext", `ε ${write.loss(epsilon)}. ${state.say("bench_sure", { percent: `${percent} %` })}`);
    if (state.over && data.flags.over) setText(this.sentence, data.flags.over);
    else this.sentence.replaceChildren(...filled(sure, { percent: h("b", null, `${percent} %`) }));
  }
}
