/** Optional enhancements: pages work without scripts. */

/** The code is in the URL fragment, which browsers don't send to the server. Opening another link on this page only changes the fragment. */
export const signInScript = `
const field = document.querySelector("input[name=code]");
const take = () => {
  if (!field || location.hash.length < 2 || location.hash === "#main") return;
  field.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname + location.search);
};
addEventListener("hashchange", take);
take();
`;

/** Shows the chosen duration on the consent button. */
export const consentScript = `
const form = document.querySelector("form.consent");
const allow = form && form.querySelector("button[value=allow]");
const updateLabel = () => {
  const days = form.days && form.days.selectedOptions[0];
  const time = days ? (days.value === "0" ? "until I revoke it" : "for " + days.text) : form.querySelector("[data-time]").dataset.time;
  allow.textContent = allow.dataset.label + " " + time;
};
if (allow) { form.addEventListener("change", updateLabel); addEventListener("pageshow", updateLabel); updateLabel(); }
`;

/** Shows passkey forms where the browser supports them, and submits the browser's answer. */
export const passkeyScript = `
for (const form of document.querySelectorAll("form[data-passkey]")) {
  const adds = form.dataset.passkey === "add";
  const read = globalThis.PublicKeyCredential && (adds ? PublicKeyCredential.parseCreationOptionsFromJSON : PublicKeyCredential.parseRequestOptionsFromJSON);
  if (!read) continue;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    if (form.elements.answer.value !== "") return;
    event.preventDefault();
    try {
      const publicKey = read.call(PublicKeyCredential, JSON.parse(form.dataset.options));
      const made = adds ? await navigator.credentials.create({ publicKey }) : await navigator.credentials.get({ publicKey });
      form.elements.answer.value = JSON.stringify(made.toJSON());
      form.submit();
    } catch (error) {
      const toolOutput = form.querySelector("[role=status]");
      toolOutput.textContent = error.name === "InvalidStateError" ? "This device already has a passkey for this vault." : "That didn't work. Try again, or use a sign-in link.";
    }
  });
}
`;

/** Fetches the page again while the server is still counting, and replaces the part that was incomplete. */
export const reloadScript = `{
const update = async () => {
  const old = document.querySelector("[data-counting]");
  if (!old) return;
  const answer = await fetch(location.href).catch(() => undefined);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page && page.getElementById(old.id);
  if (fresh) old.replaceWith(fresh);
  setTimeout(update, 2000);
};
setTimeout(update, 2000);
}
`;

/** Loads the next part of a long text when its end scrolls into view. */
export const readOnScript = `
const text = document.querySelector("[data-window]");
const rest = document.querySelector("[data-rest]");
let isUnderWay = false;
const more = async () => {
  const link = rest.querySelector("a[rel=next]");
  if (!link || isUnderWay) return;
  isUnderWay = true;
  try {
    const answer = await fetch(link.href);
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [part, end] = [next.querySelector("[data-window]"), next.querySelector("[data-rest]")];
    if (!part || !end) return;
    text.append(part.textContent);
    rest.replaceChildren(...end.childNodes);
  } finally { isUnderWay = false; }
  // If the end is still visible, the observer has to be triggered again.
  watch.unobserve(rest); watch.observe(rest);
};
const watch = new IntersectionObserver((seen) => { if (seen.some(({ isIntersecting }) => isIntersecting)) more(); }, { rootMargin: "600px" });
if (text && rest) watch.observe(rest);
`;
