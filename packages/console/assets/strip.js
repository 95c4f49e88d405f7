// Arrow keys move between the days of a strip; on a narrow screen it scrolls to the current day.

/** @type {Map<string, number>} */
const steps = new Map([
  ["ArrowLeft", -1],
  ["ArrowRight", 1],
  ["ArrowUp", -7],
  ["ArrowDown", 7],
]);

/** @param {HTMLElement} strip */
function showCurrentDay(strip) {
  /** @type {HTMLElement | null} */
  const day = strip.querySelector("a:not([tabindex])");
  if (day) strip.scrollLeft = day.offsetLeft - strip.clientWidth / 2;
}

addEventListener("keydown", (event) => {
  const day = event.target instanceof HTMLAnchorElement ? event.target : null;
  if (!day?.closest("[data-strip]") || event.ctrlKey || event.metaKey || event.altKey) return;
  const days = [...(day.closest("[data-strip]")?.querySelectorAll("a") ?? [])];
  const index = days.indexOf(day);
  const to = event.key === "Home" ? 0 : event.key === "End" ? days.length - 1 : index + (steps.get(event.key) ?? 0);
  const next = days[Math.max(0, Math.min(days.length - 1, to))];
  if (!next || to === index) return;
  event.preventDefault();
  day.setAttribute("tabindex", "-1");
  next.removeAttribute("tabindex");
  next.focus();
});

for (const strip of document.querySelectorAll("[data-strip]")) if (strip instanceof HTMLElement) showCurrentDay(strip);
