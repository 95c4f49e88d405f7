// Shows times in the browser's zone, with the original on hover. Without scripts a page shows UTC.

const exactFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });

/** By `data-as`. @type {Map<string | undefined, Intl.DateTimeFormat>} */
const formats = new Map([
  ["day", new Intl.DateTimeFormat("en-GB", { dateStyle: "long" })],
  [
    "short",
    new Intl.DateTimeFormat("en-GB", {
      day: "numeric",
      month: "short",
      year: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    }),
  ],
  ["minute", new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" })],
]);

/** @param {HTMLTimeElement} time */
function localizeTime(time) {
  const date = new Date(time.dateTime);
  if (Number.isNaN(date.getTime()) || time.dataset.localized) return;
  time.dataset.localized = "true";
  const format = formats.get(time.dataset.as);
  if (format) time.textContent = format.format(date);
  time.title = `${exactFormat.format(date)} local time · ${time.title}`;
}

/** An offset that is also the browser's says nothing. @param {HTMLTimeElement} time */
function hideOwnOffset(time) {
  const offset = time.querySelector("[data-offset]");
  const minutes = -new Date(time.dateTime).getTimezoneOffset();
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const own = `${minutes < 0 ? "-" : "+"}${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
  if (offset instanceof HTMLElement && offset.dataset.offset === own) offset.remove();
}

/** @param {ParentNode} parent */
function localizeTimes(parent) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const fixed = parent.querySelectorAll("time:has([data-offset])");
  for (const time of fixed) hideOwnOffset(time);
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = parent.querySelectorAll("time[data-as]");
  for (const time of times) localizeTime(time);
}

localizeTimes(document);
const observer = new MutationObserver((mutations) => {
  for (const { addedNodes } of mutations)
    for (const node of addedNodes) if (node instanceof Element) localizeTimes(node);
});
observer.observe(document.body, { childList: true, subtree: true });

const zoneNote = document.querySelector("footer[data-zone]");
if (zoneNote) {
  const zone = exactFormat.resolvedOptions().timeZone.replaceAll("_", " ");
  zoneNote.textContent = `Times shown in ${zone}.`;
}
