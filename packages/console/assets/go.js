// The dialog to go to a page, source or agent by name: Ctrl-K or ⌘K.

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog#go");
const input = dialog?.querySelector("input[name=to]");
/** Before anything is typed, searches leave room for the pages. */
const maxSearchesAtFirst = 3;
if (dialog && input instanceof HTMLInputElement) setUp(dialog, input);

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLInputElement} input
 */
function setUp(dialog, input) {
  function showMatches() {
    const words = input.value.trim().toLowerCase().split(/\s+/);
    for (const group of dialog.querySelectorAll("section")) {
      let count = 0;
      for (const item of group.querySelectorAll("li")) {
        const name = item.textContent?.toLowerCase() ?? "";
        const isTooMany = words[0] === "" && !group.hasAttribute("data-pages") && count >= maxSearchesAtFirst;
        item.hidden = isTooMany || !words.every((word) => name.includes(word));
        if (!item.hidden) count += 1;
      }
      group.hidden = count === 0;
    }
  }

  function listLinks() {
    return [...dialog.querySelectorAll("li:not([hidden]) a")].filter((link) => link instanceof HTMLAnchorElement);
  }

  addEventListener("keydown", (event) => {
    const isShortcut = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey);
    if (!isShortcut || event.altKey || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (dialog.open) return dialog.close();
    if (document.querySelector("dialog[open]")) return;
    input.value = "";
    showMatches();
    dialog.showModal();
    input.focus();
  });

  input.addEventListener("input", showMatches);

  dialog.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const stops = [input, ...listLinks()];
    const index = stops.findIndex((stop) => stop === document.activeElement);
    stops[(index + step + stops.length) % stops.length]?.focus();
  });

  dialog.querySelector("form")?.addEventListener("submit", (event) => {
    const links = [...dialog.querySelectorAll("[data-pages] li:not([hidden]) a")];
    // A single page has the name: no need to ask the server.
    if (input.value.trim() === "" || links.length === 1) {
      event.preventDefault();
      if (input.value.trim() !== "" && links[0] instanceof HTMLElement) links[0].click();
    }
  });
}
