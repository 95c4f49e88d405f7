// Fills in the sign-in code of a link. It is in the URL fragment, which browsers don't send to the server.

/** @type {HTMLInputElement | null} */
const codeInput = document.querySelector("input[name=code]");

function fillInCode() {
  const code = location.hash.slice(1);
  if (!codeInput || code === "" || code === "main") return;
  codeInput.value = decodeURIComponent(code);
  history.replaceState(null, "", location.pathname + location.search);
}

// Opening another link on this page only changes the fragment.
addEventListener("hashchange", fillInCode);
fillInCode();
