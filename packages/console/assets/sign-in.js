// Fills in the sign-in code of a link. It is in the URL fragment, which browsers don't send to the server.

/** @type {HTMLInputElement | null} */
const codeInput = document.querySelector("input[name=code]");

function fillInCode() {
  const code = location.hash.slice(1);
  if (!codeInput || code === "" || code === "main") return;
  codeInput.value = decodeURIComponent(code);
  history.replaceState(null, "", location.pathname + location.search);
  // Only the button is left to click.
  for (const part of document.querySelectorAll("[data-without-code], form[data-passkey]"))
    part.toggleAttribute("hidden", true);
  for (const part of document.querySelectorAll("[data-with-code]")) part.toggleAttribute("hidden", false);
  for (const folded of document.querySelectorAll("details.sign-in-link")) folded.toggleAttribute("open", true);
}

// Opening another link on this page only changes the fragment.
addEventListener("hashchange", fillInCode);
fillInCode();
