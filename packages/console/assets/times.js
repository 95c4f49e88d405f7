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

/** @param {ParentNode} parent */
function localizeTimes(parent) {
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
