// When a page has come to rest: every run that it asked Streamlit's server for has ended, and nothing moves any more.

(() => {
  const RERUN = 11, NEW_SESSION = 4, FINISHED = 6, EARLY = 2, FRAMES = 5;
  let asked = false, runs = false, ended = 0, still = 0;

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

  const heard = new WeakSet(), send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (!heard.has(this)) {
      heard.add(this);
      this.addEventListener("message", ({ data }) => {
        if (!(data instanceof ArrayBuffer)) return;
        const [field, value] = kind(new Uint8Array(data, 0, Math.min(data.byteLength, 4096)));
        if (field === NEW_SESSION) [asked, runs] = [false, true];
        if (field === FINISHED) [asked, runs, ended] = [asked || value === EARLY, false, ended + 1];
      });
    }
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(0);
    if (kind(bytes.subarray(0, 4096))[0] === RERUN) asked = true;
    return send.call(this, data);
  };

  const moves = (animation) =>
    animation.playState === "running" && Number.isFinite(animation.effect?.getComputedTiming().endTime);
  const roots = () => [document, ...[...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")].map((each) => each.shadowRoot)];

  function rests(app) {
    if (app && (asked || runs || !ended || app.dataset.testScriptState !== "notRunning")) return false;
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
