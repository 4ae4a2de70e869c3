// The drop zone: sends the chosen file as it is, in pieces that the server writes down, and shows how much has arrived.

import { h } from "./dom.js";

const zones = new WeakMap();

export default function drop({ parentElement, data, setTriggerValue }) {
  if (!zones.has(parentElement)) zones.set(parentElement, new Zone(parentElement));
  zones.get(parentElement).update(data, setTriggerValue);
}

class Zone {
  constructor(parent) {
    this.file = h("input", { type: "file", class: "unseen" });
    this.button = h("button", { type: "button" });
    this.bar = h("progress", { max: 100, value: 0, hidden: true });
    this.said = h("p", { role: "status" });
    this.root = h("div", { class: "drop" }, this.button, this.file, this.bar, this.said);
    this.button.addEventListener("click", () => this.file.click());
    this.file.addEventListener("change", () => this.send(this.file.files[0]));
    this.root.addEventListener("dragover", (event) => {
      event.preventDefault();
      this.root.toggleAttribute("data-over", true);
    });
    this.root.addEventListener("dragleave", () => this.root.toggleAttribute("data-over", false));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.root.toggleAttribute("data-over", false);
      this.send(event.dataTransfer.files[0]);
    });
    parent.append(this.root);
  }

  update(data, tell) {
    this.words = data.words;
    this.after = data.after;
    this.tell = tell;
    this.button.textContent = data.words.button;
    this.file.setAttribute("aria-label", data.words.label);
    this.file.accept = data.types.map((each) => `.${each}`).join(",");
    this.bar.setAttribute("aria-label", data.words.label);
  }

  /** Shows that nothing is under way any more, and why. */
  ended(text) {
    this.bar.hidden = true;
    this.button.disabled = false;
    this.file.value = "";
    this.request = null;
    window.onbeforeunload = null;
    this.said.textContent = text;
  }

  send(chosen) {
    if (!chosen || this.request) return;
    this.request = new XMLHttpRequest();
    const after = this.after ? `&after=${encodeURIComponent(this.after)}` : "";
    this.request.open("POST", `/upload?name=${encodeURIComponent(chosen.name)}${after}`);
    this.request.setRequestHeader("Content-Type", "application/octet-stream");
    this.request.upload.addEventListener("progress", (sent) => {
      if (sent.lengthComputable) this.shown(Math.floor((100 * sent.loaded) / sent.total));
    });
    this.request.addEventListener("load", () => this.answered(this.request));
    this.request.addEventListener("error", () => this.ended(this.words.failed));
    this.bar.hidden = false;
    this.button.disabled = true;
    window.onbeforeunload = () => true;
    this.shown(0);
    this.request.send(chosen);
  }

  shown(percent) {
    this.bar.value = percent;
    this.said.textContent = percent < 100 ? this.words.sent.replace("{percent}", percent) : this.words.ending;
  }

  answered(request) {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // no JSON: said below
    }
    const arrived = request.status === 201 && answer.id;
    this.ended(arrived ? "" : answer.message || this.words.failed);
    if (arrived) this.tell("arrived", answer.id);
  }
}
