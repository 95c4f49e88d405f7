// Keyboard shortcuts. Ignored while typing, and with modifier keys.

const itemSelector = "main :is(.hits, .rows, .log, .related, .recent, .spine) > li, main tbody > tr";
/** How long after `g` the key of a page may follow. */
const goToTimeoutMs = 1500;

/** @type {HTMLDialogElement | null} */
const shortcutDialog = document.querySelector("dialog#key-list");
let goToUntil = 0;

/**
 * @param {Element | null | undefined} item
 * @returns {HTMLAnchorElement | null | undefined}
 */
function findLink(item) {
  return item?.querySelector("a[href]");
}

function findFocusedItem() {
  return document.activeElement?.closest(itemSelector);
}

/** @param {1 | -1} step */
function focusNeighbour(step) {
  const items = [...document.querySelectorAll(itemSelector)].filter((item) => findLink(item)?.checkVisibility());
  const focused = findFocusedItem();
  const index = focused ? items.indexOf(focused) : -1;
  const first = step === 1 ? 0 : items.length - 1;
  const item = index === -1 ? items[first] : (items[index + step] ?? focused);
  findLink(item)?.focus();
  item?.scrollIntoView({ block: "nearest" });
}

function focusSearch() {
  /** @type {HTMLInputElement | null} */
  const input = document.querySelector("input[type=search][name=q]");
  input?.focus();
  input?.select();
}

/** @type {Map<string, () => void>} */
const actions = new Map([
  ["j", () => focusNeighbour(1)],
  ["k", () => focusNeighbour(-1)],
  ["o", () => findLink(findFocusedItem())?.click()],
  ["/", focusSearch],
  ["?", () => shortcutDialog?.showModal()],
  [
    "g",
    () => {
      goToUntil = Date.now() + goToTimeoutMs;
    },
  ],
]);

/**
 * Finds the navigation link whose shortcut is `g` and this key.
 *
 * @param {string} key
 * @returns {HTMLAnchorElement | null}
 */
function findPageLink(key) {
  return document.querySelector(`nav a[data-key="${CSS.escape(key)}"]`);
}

/** @param {KeyboardEvent} event */
function isShortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.key === "Shift") return false;
  if (document.querySelector("dialog[open]")) return false;
  return !(event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]"));
}

addEventListener("keydown", (event) => {
  if (!isShortcut(event)) return;
  const pageLink = Date.now() < goToUntil ? findPageLink(event.key) : null;
  goToUntil = 0;
  const action = pageLink ? () => location.assign(pageLink.href) : actions.get(event.key);
  if (!action) return;
  event.preventDefault();
  action();
});
