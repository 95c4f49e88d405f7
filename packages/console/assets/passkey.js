// Shows passkey forms where the browser supports them, and submits the browser's answer.

/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll("form[data-passkey]");
for (const form of forms) if (isSupported(form)) enableForm(form);

/**
 * On the sign-in page: a sign-in link takes precedence over the passkey.
 * @param {HTMLFormElement} form
 */
function preferPasskey(form) {
  /** @type {HTMLInputElement | null} */
  const code = document.querySelector("input[name=code]");
  if (code !== null && code.value !== "") return;
  form.hidden = false;
  document.querySelector("details.sign-in-link")?.removeAttribute("open");
}

/** @param {HTMLFormElement} form */
function isSupported(form) {
  if (!("PublicKeyCredential" in globalThis)) return false;
  return form.dataset.passkey === "add"
    ? "parseCreationOptionsFromJSON" in PublicKeyCredential
    : "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** @param {HTMLFormElement} form */
function enableForm(form) {
  /** @type {HTMLInputElement | null} */
  const answer = form.querySelector("input[name=answer]");
  const status = form.querySelector("[role=status]");
  if (!answer || !status) return;
  if (form.dataset.passkey === "use") preferPasskey(form);
  else form.hidden = false;
  form.addEventListener("submit", async (event) => {
    if (answer.value !== "") return;
    event.preventDefault();
    try {
      answer.value = JSON.stringify(await requestCredential(form));
      form.submit();
    } catch (error) {
      status.textContent =
        error instanceof DOMException && error.name === "InvalidStateError"
          ? "This device already has a passkey for this vault."
          : "That didn't work. Try again, or use a sign-in link.";
    }
  });
}

/** @param {HTMLFormElement} form */
async function requestCredential(form) {
  const options = JSON.parse(form.dataset.options ?? "");
  const credential =
    form.dataset.passkey === "add"
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
  if (!(credential instanceof PublicKeyCredential)) throw new Error("The browser returned no passkey.");
  return credential.toJSON();
}
