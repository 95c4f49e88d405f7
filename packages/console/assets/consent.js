// Shows the chosen duration on the consent button.

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form.consent");
/** @type {HTMLButtonElement | null | undefined} */
const button = form?.querySelector("button[value=allow]");
/** @type {HTMLSelectElement | null | undefined} */
const daysSelect = form?.querySelector("select[name=days]");
/** @type {HTMLElement | null | undefined} */
const fixedTime = form?.querySelector("[data-time]");

function describeDuration() {
  const days = daysSelect?.selectedOptions[0];
  if (!days) return fixedTime?.dataset.time ?? "";
  return days.value === "0" ? "until I revoke it" : `for ${days.text}`;
}

function updateLabel() {
  if (button) button.textContent = `${button.dataset.label} ${describeDuration()}`;
}

form?.addEventListener("change", updateLabel);
// The browser restores the choice when the owner navigates back.
addEventListener("pageshow", updateLabel);
updateLabel();
