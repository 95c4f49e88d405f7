// Adds new log entries while the page is open, grouped by day in the browser's time zone.

const intervalMs = 4000;
const maxIdleMs = 3_600_000;
const maxEntries = 500;
const dayFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" });

const log = document.querySelector("[data-log]");
/** @type {HTMLElement | null} */
const status = document.querySelector("[data-live]");
if (log && status) followLog(log, status);

/**
 * @param {ParentNode} parent
 * @returns {HTMLElement[]}
 */
function listEntries(parent) {
  return [...parent.querySelectorAll("li[data-entry]")].filter((entry) => entry instanceof HTMLElement);
}

/** @param {Element} log */
function groupByDay(log) {
  const focused = document.activeElement;
  /** @type {Element[]} */
  const parts = [];
  let list = document.createElement("ul");
  let listedDay = "";
  for (const entry of listEntries(log)) {
    const day = dayFormat.format(new Date(entry.querySelector("time")?.dateTime ?? ""));
    if (day !== listedDay) {
      listedDay = day;
      const heading = document.createElement("h2");
      heading.textContent = day;
      list = document.createElement("ul");
      list.className = "log";
      parts.push(heading, list);
    }
    list.append(entry);
  }
  log.replaceChildren(...parts);
  // Moving an element in the document takes the focus away from it.
  if (focused instanceof HTMLElement && log.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * @param {Element} log
 * @param {HTMLElement[]} entries
 */
function addEntries(log, entries) {
  for (const { dataset } of entries)
    if (dataset.request) log.querySelector(`li[data-running][data-request="${CSS.escape(dataset.request)}"]`)?.remove();
  log.prepend(...entries);
  for (const entry of listEntries(log).slice(maxEntries)) entry.remove();
  document.querySelector("[data-nothing]")?.remove();
  groupByDay(log);
}

/**
 * @param {Element} log
 * @param {HTMLElement} status
 */
function followLog(log, status) {
  let nextUrl = status.dataset.live ?? "";
  let addedCount = 0;
  let lastActiveAt = Date.now();

  /** @param {string} message */
  function showStatus(message) {
    // Screen readers announce every change of the element.
    if (status.textContent !== message) status.textContent = message;
  }

  /** @param {string} reason */
  function stop(reason) {
    nextUrl = "";
    showStatus(reason);
  }

  async function update() {
    if (document.hidden || nextUrl === "") return;
    if (Date.now() - lastActiveAt > maxIdleMs) return stop("Paused after an hour of inactivity. Reload to resume.");
    const response = await fetch(nextUrl).catch(() => undefined);
    if (!response) return showStatus("Server not responding. Retrying…");
    if (response.redirected) return stop("You have been signed out.");
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    /** @type {HTMLElement | null} */
    const nextStatus = page.querySelector("[data-live]");
    nextUrl = nextStatus?.dataset.live ?? "";
    const entries = listEntries(page);
    if (entries.length > 0) addEntries(log, entries);
    addedCount += entries.length;
    showStatus(addedCount === 0 ? "Live" : `Live · ${addedCount} new ${addedCount === 1 ? "entry" : "entries"}`);
  }

  groupByDay(log);
  for (const name of ["keydown", "pointerdown", "scroll"])
    addEventListener(
      name,
      () => {
        lastActiveAt = Date.now();
      },
      { passive: true },
    );
  document.addEventListener("visibilitychange", update);
  if (nextUrl === "") return;
  showStatus("Live");
  setInterval(update, intervalMs);
}
