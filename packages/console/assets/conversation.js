// Loads earlier and later messages in place, and moves from match to match.

const turns = document.querySelector("[data-turns]");
if (turns) turns.addEventListener("click", loadMore);

const opened = document.getElementById("match");
if (opened) opened.scrollIntoView({ block: "center" });

/** @param {Event} event */
async function loadMore(event) {
  if (!(event instanceof MouseEvent) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("[data-more] a") : null;
  const more = link?.closest("[data-more]");
  if (!(link instanceof HTMLAnchorElement) || !(more instanceof HTMLElement) || !turns) return;
  event.preventDefault();
  if (more.getAttribute("aria-busy") === "true") return;
  more.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(link.href);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const loaded = page.querySelector("[data-turns]");
    if (!response.ok || !loaded) throw new Error("no turns");
    insertTurns(turns, more, loaded, more.dataset.more === "earlier");
  } catch {
    location.assign(link.href);
  }
}

/**
 * Keeps what is in view where it is.
 *
 * @param {Element} turns
 * @param {HTMLElement} more
 * @param {Element} loaded
 * @param {boolean} isEarlier
 */
function insertTurns(turns, more, loaded, isEarlier) {
  const way = isEarlier ? "earlier" : "later";
  const days = [...loaded.querySelectorAll(".turn-day")];
  const nextMore = loaded.querySelector(`[data-more=${way}]`);
  const edge = isEarlier ? more.nextElementSibling : more.previousElementSibling;
  const before = edge?.getBoundingClientRect().top ?? 0;
  const first = days[isEarlier ? days.length - 1 : 0];
  for (const day of days) turns.insertBefore(day, isEarlier ? edge : more);
  joinDays(isEarlier ? first : edge, isEarlier ? edge : first);
  if (nextMore) more.replaceWith(nextMore);
  else more.remove();
  const shown = edge?.isConnected ? edge : first;
  if (isEarlier && shown) scrollBy(0, shown.getBoundingClientRect().top - before);
  /** @type {HTMLElement | null | undefined} */
  const focus = nextMore?.querySelector("a");
  focus?.focus({ preventScroll: true });
}

/**
 * A day that continues on the next page is shown once.
 *
 * @param {Element | null | undefined} earlier
 * @param {Element | null | undefined} later
 */
function joinDays(earlier, later) {
  if (!earlier || !later || earlier.getAttribute("data-day") !== later.getAttribute("data-day")) return;
  later.querySelector(".day-line")?.remove();
  later.prepend(...earlier.childNodes);
  earlier.remove();
}
