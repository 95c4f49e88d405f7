// The owner's last searches. They are kept in this browser only and never sent to the server.

const maxKept = 10;
/** As much as the search box takes. */
const maxChars = 2000;

/** @type {HTMLElement | null} */
const header = document.querySelector("header.top[data-owner]");
if (header) setUp(`pdpp recent searches ${header.dataset.owner}`);

/** @param {string} key owners who share a browser have their own */
function setUp(key) {
  /** @returns {string[]} */
  function readSearches() {
    try {
      /** @type {unknown} */
      const kept = JSON.parse(localStorage.getItem(key) ?? "[]");
      if (!Array.isArray(kept)) return [];
      return kept.filter((text) => typeof text === "string" && text.length <= maxChars).slice(0, maxKept);
    } catch {
      // Storage may be turned off, or hold something else.
      return [];
    }
  }

  /** @param {string} text */
  function addSearch(text) {
    const searches = [text, ...readSearches().filter((each) => each !== text)].slice(0, maxKept);
    try {
      localStorage.setItem(key, JSON.stringify(searches));
    } catch {
      // The page works without it.
    }
  }

  function clearSearches() {
    try {
      localStorage.removeItem(key);
    } catch {
      // Nothing is kept.
    }
    showSearches();
  }

  function showSearches() {
    const searches = readSearches();
    for (const list of document.querySelectorAll("[data-recent-searches]")) {
      list.querySelector("ul")?.replaceChildren(...searches.map(createItem));
      if (list instanceof HTMLElement && !list.classList.contains("under-search")) list.hidden = searches.length === 0;
    }
  }

  const searched = document.querySelector("[data-searched]")?.getAttribute("data-searched");
  if (searched) addSearch(searched);
  if (document.querySelector("[data-forget-searches]")) clearSearches();
  showSearches();
  addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-clear-searches]")) return;
    const isInPanel = event.target.closest(".under-search");
    clearSearches();
    if (isInPanel) hidePanel();
  });
  addEventListener("submit", (event) => {
    if (event.target instanceof HTMLFormElement && event.target.classList.contains("out")) clearSearches();
  });

  const box = document.querySelector("form.search");
  /** @type {HTMLInputElement | null | undefined} */
  const input = box?.querySelector("input[name=q]");
  /** @type {HTMLElement | null | undefined} */
  const panel = box?.querySelector(".under-search");

  function hidePanel() {
    if (panel) panel.hidden = true;
  }

  function updatePanel() {
    if (input && panel) panel.hidden = input.value.trim() !== "" || !panel.querySelector("li");
  }

  input?.addEventListener("focus", updatePanel);
  input?.addEventListener("input", updatePanel);
  // Keeps the focus in the box until the click.
  panel?.addEventListener("mousedown", (event) => event.preventDefault());
  box?.addEventListener("focusout", (event) => {
    if (!(event instanceof FocusEvent) || !(event.relatedTarget instanceof Node)) return hidePanel();
    if (!box.contains(event.relatedTarget)) hidePanel();
  });
  box?.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent) || !panel || panel.hidden || !input) return;
    if (event.key === "Escape") {
      input.focus();
      hidePanel();
      return;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    /** @type {(Element & HTMLOrSVGElement)[]} */
    const stops = [input, ...panel.querySelectorAll("a")];
    const index = document.activeElement instanceof HTMLElement ? stops.indexOf(document.activeElement) : -1;
    stops[(index + step + stops.length) % stops.length]?.focus();
  });
}

/** @param {string} text */
function createItem(text) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `/explore?${new URLSearchParams({ q: text })}`;
  link.textContent = text;
  item.append(link);
  return item;
}
