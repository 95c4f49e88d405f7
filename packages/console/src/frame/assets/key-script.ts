import { rooms } from "../rooms.ts";

/** Keyboard shortcuts. Ignored while typing, and with modifier keys. */
export const keyScript = `{
const rooms = ${JSON.stringify(Object.fromEntries(rooms.map(({ key, path }) => [key, path])))};
const dialog = document.getElementById("key-list");
const lines = "main :is(.hits, .rows, .log, .related) > li, main tbody > tr";
const lineOf = (element) => element?.closest(lines);
const linkOf = (line) => line?.querySelector("a[href]");
let goesUntil = 0;
const step = (by) => {
  const all = [...document.querySelectorAll(lines)].filter((line) => linkOf(line)?.checkVisibility());
  const at = all.indexOf(lineOf(document.activeElement));
  const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  linkOf(to)?.focus();
  to?.scrollIntoView({ block: "nearest" });
};
const search = () => {
  const field = document.querySelector("input[type=search][name=q]");
  field?.focus();
  field?.select();
};
const acts = {
  j: () => step(1),
  k: () => step(-1),
  o: () => linkOf(lineOf(document.activeElement))?.click(),
  "/": search,
  "?": () => dialog.showModal(),
  g: () => { goesUntil = Date.now() + 1500; },
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.key === "Shift" || dialog.open) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const goes = Date.now() < goesUntil;
  goesUntil = 0;
  const isRoom = goes && Object.hasOwn(rooms, event.key);
  if (!isRoom && !Object.hasOwn(acts, event.key)) return;
  event.preventDefault();
  if (isRoom) location.assign(rooms[event.key]);
  else acts[event.key]();
});
}
`;
