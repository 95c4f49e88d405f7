// Lets people drop files, shows upload progress, and updates the page of a running import.

const updateIntervalMs = 700;

/** @type {HTMLFormElement | null} */
const uploadForm = document.querySelector("form[data-upload]");
if (uploadForm) enableUpload(uploadForm);

/** @type {HTMLElement | null} */
const stage = document.querySelector("[data-live]");
if (stage) scheduleUpdate(stage);

/** @type {HTMLInputElement | null} */
const zoneInput = document.querySelector("input[data-zone]");
if (zoneInput) fillInOwnZone(zoneInput);

/** @param {HTMLFormElement} form */
function enableUpload(form) {
  /** @type {HTMLInputElement | null} */
  const input = form.querySelector("input[type=file]");
  /** @type {HTMLInputElement | null} */
  const csrfInput = form.querySelector("input[name=csrf_token]");
  const button = form.querySelector("button");
  const bar = form.querySelector("progress");
  const status = form.querySelector("[role=status]");
  if (!input || !csrfInput || !button || !bar || !status) return;

  /** @param {string} message */
  const showStatus = (message) => {
    status.textContent = message;
  };

  /** @param {boolean} isUploading */
  const setUploading = (isUploading) => {
    bar.hidden = !isUploading;
    button.disabled = isUploading;
  };

  /** @param {string} message */
  const showFailure = (message) => {
    setUploading(false);
    showStatus(message);
  };

  const upload = () => {
    const files = [...(input.files ?? [])];
    const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
    const [first] = files;
    if (!first) return showStatus("Choose a file first.");
    if (totalBytes > Number(form.dataset.maxBytes))
      return showStatus("These files are too large to upload. On the vault's computer, run: npx pdpp import FILE");
    const data = new FormData();
    // The server checks the token before it reads a file.
    data.append("csrf_token", csrfInput.value);
    for (const file of files) {
      data.append("modified", String(file.lastModified));
      data.append("files", file);
    }
    // Unlike fetch, XMLHttpRequest reports upload progress.
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.responseType = "document";
    request.upload.onprogress = ({ loaded, total }) => {
      bar.value = total ? loaded / total : 0;
    };
    request.onload = () => {
      if (request.status < 400) return location.assign(request.responseURL);
      showFailure(request.response?.querySelector("main p")?.textContent ?? "Upload failed. Try again.");
    };
    request.onerror = () => showFailure("Connection lost. Try again.");
    setUploading(true);
    showStatus(`Uploading ${files.length === 1 ? first.name : `${files.length} files`}.`);
    request.send(data);
  };

  /** @param {DataTransfer} dropped */
  const uploadDropped = (dropped) => {
    if (button.disabled) return;
    if ([...dropped.items].some((item) => item.webkitGetAsEntry()?.isDirectory))
      return showStatus("Folders can't be uploaded. Zip it, or drop its files.");
    if (dropped.files.length === 0) return;
    input.files = dropped.files;
    upload();
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    upload();
  });
  for (const name of ["dragenter", "dragover"])
    addEventListener(name, (event) => {
      event.preventDefault();
      form.classList.add("dragging");
    });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) form.classList.remove("dragging");
  });
  addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("dragging");
    if (event.dataTransfer) uploadDropped(event.dataTransfer);
  });
}

/** @param {HTMLElement} stage */
function scheduleUpdate(stage) {
  setTimeout(() => updateStage(stage), updateIntervalMs);
}

/** @param {HTMLElement} stage */
async function updateStage(stage) {
  const html = await fetch(location.href)
    .then((response) => response.text())
    .catch(() => undefined);
  if (html !== undefined) {
    const page = new DOMParser().parseFromString(html, "text/html");
    /** @type {HTMLElement | null} */
    const next = page.querySelector("[data-stage]");
    if (next?.dataset.stage !== stage.dataset.stage) return location.reload();
    if (next) replaceText(stage, next);
  }
  scheduleUpdate(stage);
}

/**
 * Replaces only the paragraphs that changed, so that the focus stays where it is.
 *
 * @param {HTMLElement} stage
 * @param {HTMLElement} next
 */
function replaceText(stage, next) {
  const paragraphs = [...stage.querySelectorAll("p")];
  const nextParagraphs = [...next.querySelectorAll("p")];
  if (paragraphs.length !== nextParagraphs.length) {
    if (!stage.contains(document.activeElement)) stage.replaceChildren(...next.childNodes);
    return;
  }
  for (const [index, paragraph] of paragraphs.entries()) {
    const replacement = nextParagraphs[index];
    if (replacement && paragraph.innerHTML !== replacement.innerHTML)
      paragraph.replaceChildren(...replacement.childNodes);
  }
}

/** @param {HTMLInputElement} input */
function fillInOwnZone(input) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...(input.list?.options ?? [])].some(({ value }) => value === zone)) input.value = zone;
}
