// Copies commands, follows an agent that is being connected, and counts down the offer to undo a revocation.

const copiedMs = 2000;
const undoSeconds = 10;
const intervalMs = 2500;
const maxFollowMs = 1_800_000;
const copiedKey = "pdpp-command-copied";

addCopyButtons();
showCopied();
followSteps();
for (const toast of document.querySelectorAll("[data-toast]")) if (toast instanceof HTMLElement) countDown(toast);

function addCopyButtons() {
  const status = document.querySelector("[data-copied]");
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await copyText(button);
      button.textContent = "Copied";
      if (status) status.textContent = "Copied";
      if (button.closest("#connect") && !button.closest("details.by-hand")) markCopied();
      setTimeout(() => {
        button.textContent = "Copy";
        if (status) status.textContent = "";
      }, copiedMs);
    });
  }
}

/**
 * The clipboard interface exists only on secure origins, and a phone in the home network uses plain HTTP.
 * @param {HTMLButtonElement} button
 */
async function copyText(button) {
  const text = button.dataset.copy ?? "";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const code = button.parentElement?.querySelector("code");
    if (code) getSelection()?.selectAllChildren(code);
    document.execCommand("copy");
  }
}

function markCopied() {
  sessionStorage.setItem(copiedKey, String(Date.now()));
  showCopied();
}

/** The first step is done in the browser; the server learns of it when the agent asks. */
function showCopied() {
  const [first, second] = document.querySelectorAll("#steps li");
  if (!first?.matches(".current") || sessionStorage.getItem(copiedKey) === null) return;
  setStep(first, "done", "Command copied", "now run it");
  setStep(second, "current", undefined, "this page notices by itself");
}

/**
 * @param {Element | undefined} step
 * @param {string} state
 * @param {string | undefined} title
 * @param {string} note
 */
function setStep(step, state, title, note) {
  if (!step) return;
  step.className = state;
  if (state === "current") step.setAttribute("aria-current", "step");
  else step.removeAttribute("aria-current");
  const words = step.querySelector("span:last-child");
  if (title !== undefined && words?.firstChild) words.firstChild.textContent = title;
  const small = step.querySelector("small");
  if (small) small.textContent = note;
}

function followSteps() {
  const startedAt = Date.now();
  const check = document.querySelector("[data-check]");
  if (check instanceof HTMLElement) check.hidden = true;

  async function update() {
    const steps = document.getElementById("steps");
    if (!steps?.dataset.follow || Date.now() - startedAt > maxFollowMs) return;
    const response = document.hidden ? undefined : await fetch(steps.dataset.follow).catch(() => undefined);
    if (response?.redirected) return;
    if (response?.ok) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      // Declining redirects to the agent, which only a page loaded after its request allows.
      const countRequests = (/** @type {Document} */ shown) => shown.querySelectorAll(".asking").length;
      if (countRequests(page) > countRequests(document)) return location.replace(steps.dataset.follow);
      for (const id of ["steps", "connected"]) replacePart(id, page);
      showCopied();
    }
    setTimeout(update, intervalMs);
  }
  setTimeout(update, intervalMs);
}

/**
 * Leaves a part alone while it has the focus, and while nothing in it has changed.
 * @param {string} id
 * @param {Document} page
 */
function replacePart(id, page) {
  const held = document.getElementById(id);
  const fresh = page.getElementById(id);
  if (!held || !fresh) return;
  const check = fresh.querySelector("[data-check]");
  if (check instanceof HTMLElement) check.hidden = true;
  if (held.contains(document.activeElement) || held.dataset.html === fresh.innerHTML) return;
  const html = fresh.innerHTML;
  held.replaceWith(fresh);
  fresh.dataset.html = html;
}

/** @param {HTMLElement} toast */
function countDown(toast) {
  let left = undoSeconds;
  const seconds = toast.querySelector("[data-seconds]");
  const show = () => {
    if (seconds) seconds.textContent = `${left} s`;
  };
  show();
  const timer = setInterval(() => {
    // Whoever is about to press it gets the time to.
    if (toast.matches(":hover, :focus-within")) return;
    left -= 1;
    show();
    if (left > 0) return;
    clearInterval(timer);
    toast.hidden = true;
    // A reload must not offer it again.
    history.replaceState(null, "", location.pathname);
  }, 1000);
}
