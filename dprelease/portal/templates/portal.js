// What the portal adds in a browser: comparing and checking without a server. Nothing needs it to be read.
"use strict";

const byId = (id) => document.getElementById(id);
const data = byId("data") ? JSON.parse(byId("data").textContent) : {};
const POINT = new Intl.NumberFormat(document.documentElement.lang)
  .formatToParts(0.5)
  .find(({ type }) => type === "decimal").value;
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
const say = (key, values = {}) => filled(data.words[key], values);
const element = (tag, text, look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });

// Differences: half-widths come from dprelease/portal/compare.py, for one pair and for as many as a trend or a cell has.
function difference(first, second, half) {
  const ends = [data.lower[first], data.upper[first], data.lower[second], data.upper[second]];
  if ([...ends, data.value[first], data.value[second]].some((end) => end === null)) return null;
  const value = data.value[first] - data.value[second];
  if (!data.halves) return { first, second, value, lower: ends[0] - ends[3], upper: ends[1] - ends[2] };
  return { first, second, value, lower: value - half, upper: value + half };
}

const finds = (more, less) => data.ordered.some(([inside, outside]) => inside.includes(more) && outside.includes(less));

function verdict({ first, second, lower, upper }) {
  if (lower > 0 || upper < 0) return lower > 0 ? "more" : "less";
  return finds(first, second) ? "found_more" : finds(second, first) ? "found_less" : "noise";
}

// As `estimate` of dprelease/bundle/display.py: in steps of a power of ten at most a quarter of the interval.
function estimate(found) {
  const numbers = [found.value, found.lower, found.upper];
  let place = Math.floor(Math.log10((found.upper - found.lower) / 4));
  if (numbers.every(Number.isInteger)) place = Math.max(place, 0);
  const steps = (number, round) => round(place < 0 ? number * 10 ** -place : number / 10 ** place);
  const even = (number) => (Math.abs(number % 1) === 0.5 ? 2 * Math.round(number / 2) : Math.round(number));
  const write = (number, round) => {
    const text = (steps(number, round) * 10 ** place).toFixed(Math.max(0, -place)).replace(/^-(?=0*\.?0*$)/, "");
    const [whole, part] = text.replace("-", "\u2212").split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
    return part === undefined ? grouped : `${grouped}${POINT}${part}`;
  };
  const [down, up] = [(number) => Math.floor(number + 1e-9), (number) => Math.ceil(number - 1e-9)];
  return { value: write(found.value, even), lower: write(found.lower, down), upper: write(found.upper, up) };
}

function compare() {
  const [way, first, second] = ["way", "first", "second"].map((name) => byId(name).value);
  const level = data.halves ? Number(byId("level").value) : 90;
  const cells = data.labels.map((_, place) => place);
  let pairs = [[Number(first), Number(second)]];
  if (way === "next") pairs = cells.slice(0, -1).map((place) => [place + 1, place]);
  if (way === "all") pairs = cells.map((place) => [Number(first), place]);
  pairs = pairs.filter(([one, other]) => one !== other);
  const half = data.halves ? data.halves[level][way === "pair" ? 0 : 1] : 0;
  const found = pairs.map((pair) => difference(...pair, half)).filter(Boolean);
  const answer = byId("answer");
  const names = (each) => ({ first: data.labels[each.first], second: data.labels[each.second] });
  const percent = `${level}\u00a0%`;
  const numbers = (each) => ({ ...estimate(each), level: percent });
  if (!found.length) return answer.replaceChildren(element("p", say("answer_same"), "answer"));
  if (found.length === 1) {
    return answer.replaceChildren(
      element("p", say(`answer_${verdict(found[0])}`, names(found[0])), "answer"),
      element("p", say("answer_interval", numbers(found[0]))),
    );
  }
  const sure = found.filter((each) => verdict(each) !== "noise").length;
  const told = { sure, count: found.length, level: percent };
  const table = element("table", "");
  const head = table.createTHead().insertRow();
  for (const name of ["compared", "answer", "difference", "interval"]) {
    const cell = element("th", say(`head_${name}`), name === "difference" || name === "interval" ? "number" : "");
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const each of found) {
    const row = body.insertRow();
    const stated = numbers(each);
    const name = element("th", say("than", names(each)));
    name.scope = "row";
    row.append(name, element("td", say(`short_${verdict(each)}`)), element("td", stated.value, "number"));
    row.append(element("td", `${stated.lower} … ${stated.upper}`, "number"));
  }
  const scroll = element("div", "", "scroll tall");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", document.querySelector("h1").textContent);
  scroll.append(table);
  return answer.replaceChildren(element("p", say(data.halves ? "answer_many" : "answer_many_each", told), "answer"), scroll);
}

// The check of reader.js, in words.
const wordsOf = ([key, values]) => say(key, values);
async function served(name) {
  const answer = await fetch(data.folder + name, { cache: "no-store" }).catch(() => null);
  if (!answer?.ok) throw new dprelease.Refused("why_missing", { name });
  return new Uint8Array(await answer.arrayBuffer());
}

// A file beside a bundle, as JSON; null where its server does not give it, whatever it answers instead.
async function servedBeside(address) {
  const answer = await fetch(address, { cache: "no-store" }).catch(() => null);
  return answer?.ok ? answer.json().catch(() => Promise.reject(new dprelease.Refused("why_format", { name: address.split("../").pop() }))) : null;
}

async function judge(read, names, beside) {
  const section = byId("verdict");
  const expected = byId("key").value.trim();
  section.replaceChildren(element("p", say("verify_wait")));
  try {
    await crypto.subtle.importKey("raw", new Uint8Array(32), "Ed25519", false, ["verify"]);
  } catch {
    return section.replaceChildren(element("p", say("verify_not"), "answer bad"));
  }
  try {
    const { signer, done, notices } = await dprelease.check(read, { names, key: expected, beside });
    const list = element("ul", "", "done");
    const lines = done.map(wordsOf);
    if (notices.length) lines.push(`${lines.pop()}. ${notices.join(" | ")}`);
    list.append(...lines.map((line) => element("li", line)));
    const words = expected ? say("verify_ok_known") : say("verify_ok_unknown", { key: signer });
    return section.replaceChildren(element("p", words, "answer good"), list);
  } catch (error) {
    const why = error instanceof dprelease.Refused ? say(error.code, error.values) : say("why_format", { name: "release.json" });
    return section.replaceChildren(element("p", say("verify_bad", { why }), "answer bad"));
  }
}

function chosen(files) {
  const inside = (file) => (file.webkitRelativePath || file.name).split("/").slice(file.webkitRelativePath ? 1 : 0).join("/");
  const found = new Map([...files].map((file) => [inside(file), file]));
  const read = async (name) => {
    if (!found.has(name)) throw new dprelease.Refused("why_missing", { name });
    return new Uint8Array(await found.get(name).arrayBuffer());
  };
  return judge(read, [...found.keys()]);
}

if (byId("compare")) {
  byId("compare").addEventListener("submit", (event) => (event.preventDefault(), compare()));
  byId("compare").addEventListener("change", compare);
  compare(); // a browser may have kept, or a visitor made, another choice by now
}
if (byId("check")?.tagName === "FORM") {
  byId("check").addEventListener("submit", (event) => {
    event.preventDefault();
    if (location.protocol === "file:") byId("verdict").replaceChildren(element("p", say("verify_offline"), "answer"));
    else judge(served, data.files, { checkpoint: () => servedBeside(data.checkpoint), notices: () => servedBeside(data.notices) });
  });
  byId("folder").addEventListener("change", (event) => chosen(event.target.files));
}
if (byId("unknown") && location.protocol !== "file:") {
  const base = new URL("../..", location.href).href.replace(/\/(es\/)?$/, "");
  for (const each of document.querySelectorAll(".snippet")) each.textContent = each.textContent.replace("ADDRESS", base);
  byId("unknown").hidden = true;
}
