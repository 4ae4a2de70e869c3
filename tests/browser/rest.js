// When a page has come to rest: every run that it asked Streamlit's server for has ended, nothing is sent or fetched,
// no short pause is waited for, and nothing moves any more.

(() => {
  const RERUN = 11, PLACES = 16, NEW_SESSION = 4, FINISHED = 6, PLACED = 19, EARLY = 2, FRAMES = 5, SHORT = 500;
  let asked = false, runs = false, ended = 0, open = 0, still = 0;
  const pauses = new Set();

  const { setTimeout, clearTimeout, fetch } = window;
  window.setTimeout = (act, delay, ...given) => {
    const timer = setTimeout((...given) => {
      pauses.delete(timer);
      return typeof act === "function" ? act.apply(window, given) : undefined;
    }, delay, ...given);
    if (delay > 0 && delay <= SHORT) pauses.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => {
    pauses.delete(timer);
    clearTimeout(timer);
  };
  window.fetch = (...given) => {
    open += 1;
    return fetch(...given).finally(() => (open -= 1));
  };
  const upload = XMLHttpRequest.prototype.send;
  XMLHttpRequest.prototype.send = function (...given) {
    open += 1;
    this.addEventListener("loadend", () => (open -= 1));
    return upload.apply(this, given);
  };

  /** The number of the field that says what a message is, and its value where that is a number. */
  function kind(bytes) {
    for (let at = 0; at < bytes.length; ) {
      const next = () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
          value += (bytes[at] & 127) * 2 ** shift;
          if (bytes[at++] < 128) return value;
        }
      };
      const tag = next(), field = Math.floor(tag / 8), value = next();
      if (field > 3 && field !== 17) return [field, tag % 8 ? 0 : value];
      if (tag % 8 === 2) at += value;
    }
    return [0, 0];
  }

  const heard = new WeakSet(), { send, addEventListener: listen } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (!heard.has(this)) {
      heard.add(this);
      listen.call(this, "message", ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return;
        const [field, value] = kind(new Uint8Array(data, 0, Math.min(data.byteLength, 4096)));
        if (field === NEW_SESSION) [asked, runs] = [false, true];
        if (field === PLACED) open -= 1;
        if (field === FINISHED) [asked, runs, ended] = [asked || value === EARLY, false, ended + 1];
      });
    }
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(0);
    const [field] = kind(bytes.subarray(0, 4096));
    if (field === RERUN) asked = true;
    if (field === PLACES) open += 1;
    return send.call(this, data);
  };

  const moves = (animation) =>
    animation.playState === "running" && Number.isFinite(animation.effect?.getComputedTiming().endTime);
  const roots = () => [document, ...[...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].map((each) => each.shadowRoot)];

  function rests(app) {
    if (app && (asked || runs || !ended || app.dataset.testScriptState !== "notRunning")) return false;
    if (open > 0 || pauses.size) return false;
    if (document.readyState !== "complete" || document.fonts.status !== "loaded") return false;
    if (document.querySelector("[data-stale=true]")) return false;
    if ([...document.images].some((each) => each.loading !== "lazy" && !each.complete)) return false;
    return !roots().some((root) => root?.getAnimations().some(moves));
  }

  /** Once nothing happened for some frames, in which what was pressed is told and drawn, the document says so. */
  function look() {
    const app = document.querySelector("[data-testid=stApp]");
    still = rests(app) ? still + 1 : 0;
    if (still > FRAMES) document.documentElement.dataset.rests = app ? "app" : "page";
    else requestAnimationFrame(look);
  }

  /** To be asked anew whether it rests: something was done. */
  window.disturb = () => {
    const looks = !document.documentElement.dataset.rests;
    delete document.documentElement.dataset.rests;
    still = 0;
    if (!looks) look();
  };
  addEventListener("DOMContentLoaded", look);
})();
