// What Bokeh has no widget for: the line of messages, keys, downloads, and the size of uploads.
"use strict";
window.sidecut = (() => {
  const words = document.getElementById("words");
  const bar = document.getElementById("progress");
  const box = document.getElementById("message");
  const latency = [];
  let lost = false;
  let inbox = null;
  let began = 0;

  function say(text, kind, share) {
    if (lost) return;
    if (words.textContent !== text) words.textContent = text;
    box.className = "message " + kind;
    bar.hidden = kind !== "busy";
    if (share >= 0) bar.value = share; else bar.removeAttribute("value");
  }

  function download(name, base64) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const url = URL.createObjectURL(new Blob([bytes], {type: "application/octet-stream"}));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  function mode(name) {
    document.body.classList.remove("image", "points");
    document.body.classList.add(name);
  }

  function receive(data) {
    for (let k = 0; k < data.kind.length; k++) {
      if (data.kind[k] === "download") download(data.name[k], data.text[k]);
      else if (data.kind[k] === "mode") mode(data.text[k]);
      else say(data.text[k], data.kind[k], data.share[k]);
    }
  }

  let number = 0;
  function send(kind, fields) {
    if (inbox === null || lost) return;
    inbox.data = {kind: [kind], number: [++number], fields: [JSON.stringify(fields)]};
  }

  // From the end of a stroke to the new segments on the screen.
  function strokeSent() { began = performance.now(); }
  function overlayArrived() {
    api.overlays += 1;
    if (!began) return;
    const from = began;
    began = 0;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      latency.push(performance.now() - from);
    }));
  }

  const TYPING = new Set(["INPUT", "TEXTAREA", "SELECT"]);
  document.addEventListener("keydown", (event) => {
    const target = event.composedPath()[0];
    const typing = target instanceof HTMLElement &&
      (TYPING.has(target.tagName) || target.isContentEditable);
    const command = event.ctrlKey || event.metaKey;
    if (command && !typing && event.key.toLowerCase() === "z") {
      event.preventDefault();
      send("key", {key: event.shiftKey ? "r" : "u"});
    } else if (!command && !event.altKey && !typing && /^[1-8a-z]$/i.test(event.key)) {
      send("key", {key: event.key.toLowerCase()});
    }
  });

  // `input` comes before `change`, on which Bokeh reads the file: too large a file never leaves.
  document.addEventListener("input", (event) => {
    const field = event.composedPath()[0];
    if (!(field instanceof HTMLInputElement) || field.type !== "file" || !field.files.length) return;
    const file = field.files[0];
    if (file.size > MAX_UPLOAD) {
      field.value = "";
      const mega = (size) => Math.ceil(size / 1048576);
      say(`${file.name} has ${mega(file.size)} MB; uploads may have ${mega(MAX_UPLOAD)} MB.`,
          "error", 0);
    }
  }, true);

  const api = {
    overlays: 0, latency, send, receive, strokeSent, overlayArrived,
    connect(source) { inbox = source; },
    disconnect() {
      say("The server has stopped. Files you exported are safe; start it again and open your " +
          "session file to go on.", "error", 0);
      lost = true;
    },
  };
  return api;
})();
