/** Shows times in the browser's zone, with the original on hover. Without scripts a page shows UTC. */
export const timeScript = `{
const forms = {
  day: { dateStyle: "long" },
  short: { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" },
  minute: { hour: "2-digit", minute: "2-digit" },
};
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium" });
const formats = Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, new Intl.DateTimeFormat("en-GB", form)]));
const tell = (time) => {
  const at = new Date(time.dateTime);
  if (isNaN(at) || time.dataset.toolOutput) return;
  time.dataset.toolOutput = "here";
  const format = formats[time.dataset.as];
  if (format) time.textContent = format.format(at);
  time.title = exact.format(at) + " local time · " + time.title;
};
const tellAll = (node) => { if (node.querySelectorAll) for (const time of node.querySelectorAll("time[data-as]")) tell(time); };
tellAll(document);
new MutationObserver((changes) => { for (const { addedNodes } of changes) addedNodes.forEach(tellAll); }).observe(document.body, { childList: true, subtree: true });
const zone = document.querySelector("footer[data-zone]");
if (zone) zone.textContent = "Times shown in " + exact.resolvedOptions().timeZone.replaceAll("_", " ") + ".";
}
`;
