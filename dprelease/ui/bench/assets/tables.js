// What is no picture of lengths: answers in words.

import { h } from "./dom.js";

export function words(scene) {
  const { open, picture, draws, view, say } = scene;
  const counted = view !== "beside" && (draws ?? []).length > 0;
  const head = [open.axis ?? "", say(counted ? "most_often" : "would_be_short"), scene.truth];
  const body = open.cells.map(({ label }, i) => {
    const answer = counted ? often(draws, i, say) : [said(scene, picture.value[i])];
    const same = picture.value[i] === open.true[i];
    return h("tr", null, h("th", { scope: "row" }, panelled(open, i, label)), h("td", { class: "answer" }, answer), h("td", { class: same && "dim" }, said(scene, open.true[i])));
  });
  const titles = head.map((each) => h("th", { scope: "col" }, each));
  return [h("table", { class: "answers" }, h("thead", null, h("tr", null, titles)), h("tbody", null, body))];
}

function said({ write }, value) {
  return value === null || value === undefined ? "–" : typeof value === "number" ? write.value(value, Math.abs(value)) : value;
}

/** The answer that most of the draws give, and how many do. */
function often(draws, i, say) {
  const counts = new Map();
  for (const draw of draws) counts.set(draw[i], (counts.get(draw[i]) ?? 0) + 1);
  const [answer, count] = [...counts].sort((a, b) => b[1] - a[1])[0];
  return [answer ?? "–", " ", h("small", null, say("of_draws", { count, all: draws.length }))];
}

/** A cell's name with its panel's, where there are several. */
export function panelled(open, i, label) {
  if (open.panels.length < 2) return label;
  return `${open.panels.find(({ cells }) => cells.includes(i))?.label ?? ""} ${label}`;
}
