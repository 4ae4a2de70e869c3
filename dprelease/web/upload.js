// Sends the chosen file as it is, and shows how much of it has arrived. The words come from the page.
"use strict";
const form = document.querySelector("form");
const file = form.querySelector("input");
const button = form.querySelector("button");
const bar = document.querySelector("progress");
const status = document.querySelector("[role=status]");
const words = form.dataset;

function say(text) {
  status.textContent = text;
}

function again(text) {
  bar.hidden = true;
  button.disabled = file.disabled = false;
  window.onbeforeunload = null;
  say(text);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = file.files[0];
  if (!chosen) {
    say(words.none);
    file.focus();
    return;
  }
  const request = new XMLHttpRequest();
  request.open("POST", `/upload?name=${encodeURIComponent(chosen.name)}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.upload.addEventListener("progress", (sent) => {
    if (sent.lengthComputable) {
      const percent = Math.floor((100 * sent.loaded) / sent.total);
      bar.value = percent;
      say(percent < 100 ? words.sent.replace("{percent}", percent) : words.ending);
    }
  });
  request.addEventListener("load", () => {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // no JSON: said below
    }
    if (request.status === 201 && answer.next) {
      window.onbeforeunload = null;
      window.location.assign(answer.next);
    } else {
      again(answer.message || words.failed);
    }
  });
  request.addEventListener("error", () => again(words.failed));
  bar.hidden = false;
  bar.value = 0;
  button.disabled = file.disabled = true;
  window.onbeforeunload = () => true;
  say(words.sent.replace("{percent}", 0));
  request.send(chosen);
});
