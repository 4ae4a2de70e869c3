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

// The check: checksums, signature, and the release's place in the ledger.
class Refused extends Error {}
const refuse = (key, values) => {
  throw new Refused(say(key, values));
};
const bytesOf = (hex) => new Uint8Array((hex.match(/../g) || []).map((pair) => parseInt(pair, 16)));
const hexOf = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const hash = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const text = (bytes) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

function canonical(value) {
  // RFC 8785, for values without fractions: what JSON.stringify writes, keys sorted by their UTF-16 units.
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

const digest = async (value) => hexOf(await hash(new TextEncoder().encode(canonical(value))));

// Whether a charge in the ledger is what a certificate says was spent.
function agrees(event, told, release) {
  const spent = { epsilon_nano: 0, rho_nano: 0, delta_atto: 0 };
  const same = (one, other) => canonical({ ...spent, ...one }) === canonical({ ...spent, ...other });
  return (
    event.kind === "charge" &&
    event.population === release.population.name &&
    event.facts.plan_hash === release.plan_hash &&
    told === release.ledger.hash &&
    event.seq === release.ledger.seq &&
    event.charges === release.cumulative.releases &&
    same(event.loss, release.loss) &&
    same(event.spent, release.cumulative.loss)
  );
}

async function signedBy(raw, signature, message) {
  const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, signature, message);
}

const node = (left, right) => hash(new Uint8Array([1, ...left, ...right]));

async function rootOf(leaf, place, size, proof) {
  // RFC 9162, 2.1.3.2.
  let [index, last, root] = [place, size - 1, leaf];
  for (const part of proof) {
    if (last === 0) return null;
    if (index % 2 === 1 || index === last) {
      root = await node(part, root);
      while (index % 2 === 0 && index !== 0) [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
    } else root = await node(root, part);
    [index, last] = [Math.floor(index / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
}

async function check(read, names, expected, beside) {
  const done = [];
  const sums = await read("SHA256SUMS");
  const raw = keyOf(text(await read("signer.pub")));
  const signer = `ed25519:${hexOf(raw)}`;
  if (!(await signedBy(raw, await read("SHA256SUMS.sig"), sums))) refuse("why_signature");
  const listed = new Map();
  for (const line of text(sums).trimEnd().split("\n")) listed.set(line.slice(66), line.slice(0, 64));
  for (const name of names || []) {
    if (!listed.has(name) && !["SHA256SUMS", "SHA256SUMS.sig", "SHA256SUMS.tsr"].includes(name)) refuse("why_unlisted", { name });
  }
  for (const [name, sum] of listed) if (hexOf(await hash(await read(name))) !== sum) refuse("why_changed", { name });
  done.push(say("verify_signature", { key: signer }), say("verify_files", { count: listed.size }));
  if (!listed.has("ledger.json")) refuse("why_missing", { name: "ledger.json" });
  const ledger = JSON.parse(text(await read("ledger.json")));
  const release = JSON.parse(text(await read("release.json")));
  const { charge, published, superseded, checkpoint } = ledger;
  const told = await digest(charge.event);
  const outputs = {};
  for (const [name, sum] of listed) if (/^(release\.json|(tables|rows)\/[^/]*\.csv|(models|measured)\/[^/]*\.json)$/.test(name)) outputs[name] = sum;
  const { kind, facts } = published.event;
  const states = [facts.release, facts.published_on, facts.signer, facts.outputs, facts.charge_hash];
  const is = [release.id, release.published, signer, await digest(outputs), release.ledger.hash];
  if (kind !== "published" || states.some((value, place) => value !== is[place])) refuse("why_event");
  if (!agrees(charge.event, told, release)) refuse("why_charge");
  if ((superseded === null) !== (release.supersedes === null)) refuse("why_event");
  if (superseded && superseded.event.facts.release !== release.supersedes) refuse("why_event");
  done.push(say("verify_event", { seq: published.event.seq }), say("verify_charge", { seq: charge.event.seq }));
  for (const line of [charge, published, superseded].filter(Boolean)) {
    const leaf = await hash(new Uint8Array([0, ...bytesOf(await digest(line.event))]));
    const root = await rootOf(leaf, line.event.seq - 1, checkpoint.size, line.inclusion.map(bytesOf));
    if (root === null || hexOf(root) !== checkpoint.root) refuse("why_inclusion");
  }
  done.push(say("verify_inclusion", { size: checkpoint.size }));
  if (ledger.signer !== signer || !(await holds(ledger))) refuse("why_checkpoint");
  done.push(say("verify_checkpoint", { day: checkpoint.on }));
  if (!(await handedOver(ledger))) refuse("why_rotations");
  if (expected && expected !== signer) {
    const chain = ledger.rotations.map(({ old_pem: pem }) => fingerprint(pem));
    if (!chain.includes(expected)) refuse("why_key");
    const days = ledger.rotations.slice(chain.indexOf(expected)).map(({ on }) => on);
    done.push(say("verify_rotations", { days: days.join(", ") }));
  }
  return { signer, done: [...done, beside ? await noticed(beside, ledger, release) : say("verify_notices_apart")] };
}

const keyOf = (pem) => Uint8Array.from(atob(pem.replace(/-----[^-]+-----|\s/g, "")), (each) => each.charCodeAt(0)).slice(-32);
const fingerprint = (pem) => `ed25519:${hexOf(keyOf(pem))}`;
const said = (signer, signature, value) =>
  signedBy(bytesOf(signer.slice(8)), bytesOf(signature), new TextEncoder().encode(canonical(value)));
const holds = ({ checkpoint, signer, signature }) => said(signer, signature, checkpoint);
const signersOf = ({ rotations, signer }) => [...rotations.map(({ old_pem: pem }) => fingerprint(pem)), signer];

// Whether each key signed that the next one follows, up to the signer of a checkpoint.
async function handedOver(history) {
  const signers = signersOf(history);
  if (new Set(signers).size !== signers.length) return false;
  for (const [place, { old_pem: pem, new_pem: next, on, signature }] of history.rotations.entries()) {
    const told = { dprelease_key_rotation: 1, old: fingerprint(pem), new: fingerprint(next), on };
    if (told.new !== signers[place + 1] || !(await said(told.old, signature, told))) return false;
  }
  return true;
}

// What was said of a release since: each statement signed, and all of them that the newest checkpoint here lists.
async function noticed(beside, own, release) {
  const later = await beside(data.checkpoint);
  if (!later) refuse("why_no_checkpoint"); // every portal has one; without it, notices could be left out unseen
  if (!(await holds(later)) || !(await handedOver(later))) refuse("why_checkpoint");
  const same = later.checkpoint.workspace === own.checkpoint.workspace && signersOf(later).includes(own.signer);
  const known = same && later.checkpoint.size > own.checkpoint.size ? later : own;
  const signers = signersOf(known).slice(signersOf(known).indexOf(own.signer));
  const listed = known.checkpoint.notices[release.id] || [];
  const file = await beside(data.notices);
  const found = file ? file.notices : [];
  const genuine = new Map();
  for (const { statement, signer, signature } of found) {
    const hashed = await digest(statement);
    const fits = statement.release === release.id && statement.published_on >= release.published;
    const counted = listed.includes(hashed) || statement.ledger.seq > known.checkpoint.size;
    if (fits && counted && signers.includes(signer) && (await said(signer, signature, statement))) genuine.set(hashed, statement);
  }
  const missing = listed.filter((each) => !genuine.has(each)).length;
  if (missing) refuse("why_missing_notices", { count: missing });
  if (found.length > genuine.size) refuse("why_refused_notices", { count: found.length - genuine.size });
  const day = known.checkpoint.on;
  if (!genuine.size) return say("verify_notices_none", { day });
  const texts = [...genuine.values()].map((each) => `${each.published_on} ${each.by || ""} ${each.text}`.replace(/\s+/g, " "));
  return `${say("verify_notices", { day, count: genuine.size })}. ${texts.join(" | ")}`;
}

async function served(name) {
  const answer = await fetch(data.folder + name, { cache: "no-store" }).catch(() => refuse("why_missing", { name }));
  if (!answer.ok) refuse("why_missing", { name });
  return new Uint8Array(await answer.arrayBuffer());
}

// A file beside a bundle, as JSON; null where its server does not give it, whatever it answers instead.
async function servedBeside(address) {
  const answer = await fetch(address, { cache: "no-store" }).catch(() => null);
  return answer?.ok ? answer.json().catch(() => refuse("why_format", { name: address.split("../").pop() })) : null;
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
    const { signer, done } = await check(read, names, expected, beside);
    const list = element("ul", "", "done");
    list.append(...done.map((line) => element("li", line)));
    const words = expected ? say("verify_ok_known") : say("verify_ok_unknown", { key: signer });
    return section.replaceChildren(element("p", words, "answer good"), list);
  } catch (error) {
    const why = error instanceof Refused ? error.message : say("why_format", { name: "release.json" });
    return section.replaceChildren(element("p", say("verify_bad", { why }), "answer bad"));
  }
}

function chosen(files) {
  const inside = (file) => (file.webkitRelativePath || file.name).split("/").slice(file.webkitRelativePath ? 1 : 0).join("/");
  const found = new Map([...files].map((file) => [inside(file), file]));
  const read = async (name) => {
    if (!found.has(name)) refuse("why_missing", { name });
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
    else judge(served, data.files, servedBeside);
  });
  byId("folder").addEventListener("change", (event) => chosen(event.target.files));
}
if (byId("unknown") && location.protocol !== "file:") {
  const base = new URL("../..", location.href).href.replace(/\/(es\/)?$/, "");
  for (const each of document.querySelectorAll(".snippet")) each.textContent = each.textContent.replace("ADDRESS", base);
  byId("unknown").hidden = true;
}
