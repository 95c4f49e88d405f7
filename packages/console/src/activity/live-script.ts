/** Adds new log entries while the page is open, grouped by day in the browser's time zone. */
export const liveScript = `{
const everyMs = 4000;
const longestMs = 3600000;
const mostLines = 500;
const log = document.querySelector("[data-log]");
const toolOutput = document.querySelector("[data-live]");
const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });
const arrange = () => {
  const focused = document.activeElement;
  const lines = [...log.querySelectorAll("li[data-entry]")];
  const parts = [];
  let day = "";
  for (const line of lines) {
    const at = days.format(new Date(line.querySelector("time").dateTime));
    if (at !== day) {
      const [heading, list] = [document.createElement("h2"), document.createElement("ul")];
      heading.textContent = day = at;
      list.className = "log";
      parts.push(heading, list);
    }
    parts.at(-1).append(line);
  }
  log.replaceChildren(...parts);
  if (log.contains(focused)) focused.focus({ preventScroll: true });
};
let next = toolOutput.dataset.live;
let count = 0;
let seen = Date.now();
const stop = (why) => { next = ""; toolOutput.textContent = why; };
const look = async () => {
  if (document.hidden || next === "") return;
  if (Date.now() - seen > longestMs) return stop("Paused after an hour of inactivity. Reload to resume.");
  let answer;
  try { answer = await fetch(next); } catch { toolOutput.textContent = "Server not responding. Retrying…"; return; }
  if (answer.redirected) return stop("You have been signed out.");
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const lines = [...fresh.querySelectorAll("li[data-entry]")];
  next = fresh.querySelector("[data-live]").dataset.live;
  if (lines.length === 0) { if (count === 0) toolOutput.textContent = "Live"; return; }
  for (const line of lines) {
    const begun = line.dataset.request && log.querySelector("li[data-running][data-request='" + CSS.escape(line.dataset.request) + "']");
    if (begun) begun.remove();
  }
  log.prepend(...lines);
  for (const old of [...log.querySelectorAll("li[data-entry]")].slice(mostLines)) old.remove();
  document.querySelector("[data-nothing]")?.remove();
  arrange();
  count += lines.length;
  toolOutput.textContent = "Live · " + count + (count === 1 ? " new entry" : " new entries");
};
arrange();
for (const name of ["keydown", "pointerdown", "scroll"]) addEventListener(name, () => { seen = Date.now(); }, { passive: true });
document.addEventListener("visibilitychange", look);
if (next !== "") { toolOutput.textContent = "Live"; setInterval(look, everyMs); }
}
`;
