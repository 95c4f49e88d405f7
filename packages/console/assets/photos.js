// Arrow keys in the grid of photos and between single photos. Everything also works with links.

/** @param {KeyboardEvent} event */
function isPlainKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.isComposing) return false;
  if (document.querySelector("dialog[open]")) return false;
  return !(event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]"));
}

/** @returns {HTMLAnchorElement[]} */
function listTiles() {
  return [...document.querySelectorAll("[data-tiles] a.tile")].filter((tile) => tile instanceof HTMLAnchorElement);
}

/**
 * The tile in the next row up or down whose middle is nearest.
 *
 * @param {HTMLAnchorElement[]} tiles
 * @param {Element} from
 * @param {1 | -1} step
 */
function findInNextRow(tiles, from, step) {
  const { left, top } = from.getBoundingClientRect();
  const others = tiles
    .map((tile) => ({ tile, box: tile.getBoundingClientRect() }))
    .filter(({ box }) => (box.top - top) * step > 1);
  const nearest = Math.min(...others.map(({ box }) => (box.top - top) * step));
  const row = others.filter(({ box }) => Math.abs((box.top - top) * step - nearest) < 2);
  row.sort((a, b) => Math.abs(a.box.left - left) - Math.abs(b.box.left - left));
  return row[0]?.tile;
}

/** @param {string} key */
function moveFocus(key) {
  const tiles = listTiles();
  const focused = tiles.find((tile) => tile === document.activeElement);
  if (!focused) return false;
  const index = tiles.indexOf(focused);
  const target =
    key === "ArrowLeft"
      ? tiles[index - 1]
      : key === "ArrowRight"
        ? tiles[index + 1]
        : key === "ArrowUp"
          ? findInNextRow(tiles, focused, -1)
          : key === "ArrowDown"
            ? findInNextRow(tiles, focused, 1)
            : undefined;
  target?.focus();
  target?.scrollIntoView({ block: "nearest" });
  return target !== undefined;
}

/** @type {Map<string, string>} */
const lightboxLinks = new Map([
  ["ArrowLeft", "a[rel=prev]"],
  ["ArrowRight", "a[rel=next]"],
  ["Escape", ".back a"],
]);

/** @param {string} key */
function followLink(key) {
  const selector = lightboxLinks.get(key);
  const link = selector === undefined ? null : document.querySelector(`[data-lightbox] ${selector}`);
  if (!(link instanceof HTMLAnchorElement)) return false;
  // Moving between photos is one step in the history, so that Back leads to the grid.
  if (key === "Escape") location.assign(link.href);
  else location.replace(link.href);
  return true;
}

addEventListener("keydown", (event) => {
  if (!isPlainKey(event)) return;
  if (followLink(event.key) || moveFocus(event.key)) event.preventDefault();
});

const returned = location.hash.startsWith("#p-") ? document.getElementById(location.hash.slice(1)) : null;
returned?.focus();
