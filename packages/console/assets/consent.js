// Keeps the ticks, the sentence, the counter and the button of a decision in step.

import { buildSentence, countChosen, describeRow, formatCounter, formatSources } from "./sentence.js";

/** @typedef {import("./sentence.js").Row} Row */

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form.consent");
/** @type {HTMLElement | null | undefined} */
const bar = form?.querySelector(".decision");

/** @template {Element} E @param {ParentNode} root @param {string} selector @returns {E[]} */
const findAll = (root, selector) => /** @type {E[]} */ ([...root.querySelectorAll(selector)]);
/** @param {ParentNode} root @returns {HTMLInputElement[]} */
const findParts = (root) => findAll(root, "input[data-kind]");
/** @param {ParentNode} root */
const findAccount = (root) => /** @type {HTMLInputElement} */ (root.querySelector("input[name=account]"));
/** @param {HTMLInputElement} part @param {string} preset */
const isInPreset = (part, preset) => (part.dataset.presets ?? "").split(" ").includes(preset);

/** @param {HTMLFormElement} on @param {HTMLElement} decision */
function enhance(on, decision) {
  /** @type {HTMLElement[]} */
  const sources = findAll(on, "[data-source]");
  /** @type {HTMLButtonElement | null} */
  const button = decision.querySelector("[data-decide]");
  /** @type {HTMLButtonElement | null} */
  const clear = on.querySelector("[data-clear]");
  /** @type {HTMLButtonElement | null} */
  const preview = on.querySelector("[data-preview]");
  /** @type {HTMLSelectElement | null} */
  const daysSelect = on.querySelector("select[name=days]");
  /** @type {HTMLInputElement | null} */
  const since = on.querySelector("input[name=since]");
  /** @type {HTMLInputElement | null} */
  const shownPreset = on.querySelector("input[name=preset_shown]");
  /** @type {HTMLInputElement[]} */
  const radios = findAll(on, "input[name=preset]");

  /** @returns {Row[]} */
  const readRows = () =>
    sources.map((source) => ({
      label: source.dataset.source ?? "",
      isTicked: findAccount(source).checked,
      isLimited: source.dataset.limited !== undefined,
      streams: findAll(source, "[data-stream]").map((stream) => ({
        label: /** @type {HTMLElement} */ (stream).dataset.stream ?? "",
        parts: findParts(stream).map(({ checked, dataset }) => ({
          kind: dataset.kind ?? "",
          isTicked: checked,
          included: (dataset.included ?? "").split("|").filter((word) => word !== ""),
          missing: dataset.missing ?? "",
        })),
      })),
    }));

  /** @param {(part: HTMLInputElement) => boolean} isTicked */
  function tickAll(isTicked) {
    for (const source of sources) {
      for (const part of findParts(source)) part.checked = isTicked(part);
      findAccount(source).checked = findParts(source).some(({ checked }) => checked);
    }
  }

  const readDuration = () => {
    const { end = decision.dataset.end ?? "", span = end } = daysSelect?.selectedOptions[0]?.dataset ?? {};
    return { end, span };
  };

  function update() {
    const rows = readRows();
    rows.forEach((row, i) => {
      const line = sources[i]?.querySelector("[data-line]");
      if (line) line.textContent = describeRow(row);
    });
    const count = countChosen(rows);
    const { end, span } = readDuration();
    const counter = on.querySelector("[data-counter]");
    if (counter) counter.textContent = formatCounter(count, rows.length);
    if (clear) clear.hidden = count === 0;
    if (preview) preview.hidden = count === 0;
    const pieces = buildSentence(decision.dataset.client ?? "", rows, end, since?.value ?? "");
    const sentence = decision.querySelector("[data-sentence]");
    sentence?.replaceChildren(
      ...(count === 0
        ? [decision.dataset.empty ?? ""]
        : pieces.map(({ text, isName }) => (isName ? createName(text) : text))),
    );
    if (button) updateButton(button, count, span);
    if (shownPreset) shownPreset.value = radios.find(({ checked }) => checked)?.value ?? "choose";
  }

  /** @param {string} text */
  function createName(text) {
    const name = document.createElement("b");
    name.textContent = text;
    return name;
  }

  /** @param {HTMLButtonElement} decide @param {number} count @param {string} span */
  function updateButton(decide, count, span) {
    const { verb = "", object = "" } = decision.dataset;
    const [label, note, wide] = ["span", "small", "span"].map((tag) => document.createElement(tag));
    if (!label || !note || !wide) return;
    wide.className = "wide-only";
    wide.textContent = `${object} `;
    if (count === 0) label.append(verb);
    else label.append(`${verb} `, wide, formatSources(count));
    note.textContent = count === 0 ? "nothing selected yet" : span;
    decide.value = "allow";
    decide.disabled = count === 0;
    decide.replaceChildren(label, " ", note);
  }

  /** @param {string} name */
  function selectPreset(name) {
    for (const radio of radios) radio.checked = radio.value === name;
  }

  on.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return update();
    const source = target.closest("[data-source]");
    if (target.name === "preset" && target.value !== "choose") tickAll((part) => isInPreset(part, target.value));
    else if (target.name === "account" && source) {
      for (const part of findParts(source)) part.checked = target.checked && isInPreset(part, "usual");
      selectPreset("choose");
    } else if (target.dataset.kind !== undefined && source) {
      findAccount(source).checked = findParts(source).some(({ checked }) => checked);
      selectPreset("choose");
    }
    update();
  });
  clear?.addEventListener("click", (event) => {
    event.preventDefault();
    tickAll(() => false);
    selectPreset("choose");
    update();
    findAccount(on).focus();
  });
  for (const details of findAll(on, ".source-choice details"))
    details.addEventListener("toggle", () => {
      const word = details.querySelector("summary")?.firstChild;
      if (word) word.textContent = /** @type {HTMLDetailsElement} */ (details).open ? "Done" : "Change";
    });
  // The browser restores the choice when the owner navigates back.
  addEventListener("pageshow", update);
  on.classList.add("scripted");
  update();
}

if (form && bar) enhance(form, bar);
