/** Optional: lets people drop files, shows upload progress and updates the page. */
export const importScript = `
const form = document.querySelector("form[data-upload]");
const live = document.querySelector("[data-live]");
const zone = document.querySelector("select[data-zone]");

if (form) {
  const input = form.querySelector("input[type=file]");
  const bar = form.querySelector("progress");
  const say = (words) => { form.querySelector("[role=status]").textContent = words; };
  const send = () => {
    const files = [...input.files];
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (files.length === 0) return say("Choose a file first.");
    if (size > Number(form.dataset.most)) return say("These files are too large to upload. On the vault's computer, run: npx pdpp import FILE");
    const data = new FormData();
    data.append("csrf_token", form.elements.csrf_token.value);
    for (const file of files) { data.append("modified", file.lastModified); data.append("files", file); }
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.responseType = "document";
    const button = form.querySelector("button");
    const over = (words) => { bar.hidden = true; button.disabled = false; say(words); };
    request.upload.onprogress = ({ loaded, total }) => { bar.value = total ? loaded / total : 0; };
    request.onload = () => {
      if (request.status < 400) return location.assign(request.responseURL);
      over(request.response?.querySelector("main p")?.textContent ?? "Upload failed. Try again.");
    };
    request.onerror = () => over("Connection lost. Try again.");
    bar.hidden = false; button.disabled = true;
    say("Uploading " + (files.length === 1 ? files[0].name : files.length + " files") + ".");
    request.send(data);
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); send(); });
  for (const name of ["dragenter", "dragover"]) addEventListener(name, (event) => { event.preventDefault(); form.classList.add("over"); });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) form.classList.remove("over"); });
  addEventListener("drop", (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (form.querySelector("button").disabled) return;
    const isFolder = [...event.dataTransfer.items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
    if (isFolder) return say("Folders can't be uploaded. Zip it, or drop its files.");
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    send();
  });
}

if (live) {
  const look = async () => {
    try {
      const answer = await fetch(location.href);
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-stage]");
      if (!next || next.dataset.stage !== live.dataset.stage) return location.reload();
      const at = live.contains(document.activeElement);
      const [old, fresh] = [live.querySelectorAll("p"), next.querySelectorAll("p")];
      if (old.length === fresh.length) old.forEach((each, i) => { if (each.innerHTML !== fresh[i].innerHTML) each.replaceChildren(...fresh[i].childNodes); });
      else if (!at) live.replaceChildren(...next.childNodes);
    } catch {}
    setTimeout(look, 700);
  };
  setTimeout(look, 700);
}

if (zone) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...zone.options].some(({ value }) => value === own)) zone.value = own;
}
`;
