import type { Choice } from "@pdpp/consent/choice";
import type { Offer } from "@pdpp/consent/offer";
import { isInPresets, type PresetName, presets } from "@pdpp/consent/presets";
import { countChosen, describeRow, formatCounter, formatSources } from "../../assets/sentence.js";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import { findMarkNames } from "../frame/mark-names.ts";
import { joinHtml } from "../frame/render/parts.tsx";
import type { FormPart, FormRow, FormStream } from "./choice-row.ts";

/** Sources as rows to tick, each with the parts of it that are read. */

/** By keyboard, a preset and the decision are a few keys apart, however many sources there are. */
export const decisionId = "decision";

const presetNotes: Readonly<Record<(typeof presets)[number]["name"], string>> = {
  everything: "with texts and attachments",
  "no-attachments": "files stay private",
  headings: "no texts, no files",
};

/** `title`: for wide windows, and a short one for phones. */
export function renderPresets(
  title: { readonly wide: string; readonly short: string },
  { sources }: Offer,
  preset: PresetName,
): Html {
  const count = sources.filter(isInPresets).length;
  const included = count === 1 ? "The only source" : `${count === sources.length ? "All " : ""}${formatSources(count)}`;
  return (
    <fieldset class="presets">
      <legend>
        <span class="wide-only">{title.wide}</span>
        <span class="phone-only">{title.short}</span>
      </legend>
      <div class="options">
        {presets.map(({ name, label }) => renderPreset(name, label, `${included}, ${presetNotes[name]}`, preset))}
        {renderPreset("choose", "Choose", "Pick the sources and what is read from each", preset)}
      </div>
    </fieldset>
  );
}

const renderPreset = (name: PresetName, label: string, note: string, preset: PresetName): Html => (
  <label class="preset">
    <input type="radio" name="preset" value={name} checked={name === preset} autocomplete="off" />
    <span>
      {label}
      <small>{note}</small>
    </span>
  </label>
);

export function renderSourceList(rows: readonly FormRow[], choice: Choice): Html {
  const count = countChosen(rows);
  const marks = findMarkNames(rows.map(({ label }) => label));
  return (
    <section class="choose-sources" aria-labelledby="sources">
      <a class="skip" href={`#${decisionId}`}>
        Skip to the decision
      </a>
      <input type="hidden" name="by_field" value={choice.byField ? "yes" : "no"} />
      <input type="hidden" name="preset_shown" value={choice.preset} autocomplete="off" />
      <div class="heading">
        <h2 id="sources">Sources</h2>
        <span class="soft" data-counter="">
          {formatCounter(count, rows.length)}
        </span>
        <button class="link" name="act" value="clear" data-clear="">
          Clear
        </button>
      </div>
      <div class="source-list">{rows.map((row, i) => renderRow(row, marks[i] ?? row.label))}</div>
      <button class="link" name="act" value={choice.byField ? "by-part" : "by-field"}>
        {choice.byField ? "Choose by category" : "Choose individual fields"}
      </button>
    </section>
  );
}

function renderRow(row: FormRow, mark: string): Html {
  const { label, source, streams } = row;
  const id = source.accounts[0]?.id ?? "";
  return (
    <div
      class="source-choice"
      role="group"
      aria-label={label}
      data-source={label}
      data-limited={row.isLimited ? "" : undefined}
    >
      <label class="pick">
        <input type="checkbox" name="account" value={id} checked={row.isTicked} autocomplete="off" />
        {renderLetterMark(mark)}
        <span class="about">
          <span class="name">{label}</span>{" "}
          {source.kindLabel !== undefined && <span class="soft kind">{source.kindLabel}</span>}{" "}
          {source.size !== undefined && <span class="soft size">{source.size}</span>}
        </span>
      </label>
      {renderDerivedNote(row)}
      <p class="reads" data-line="">
        {describeRow(row)}
      </p>
      <details>
        <summary>
          Change<span class="hidden"> what is read from {label}</span>
        </summary>
        <div class="streams">{streams.map((stream) => renderStream(stream, streams.length > 1))}</div>
      </details>
    </div>
  );
}

/** Sharing a derived source also shares something of the sources that are not ticked. */
export const renderDerivedNote = ({ source }: FormRow): Html | string =>
  source.isDerived === true ? (
    <p class="reads soft">
      Summarizes all your sources, including those you don't share. Selected only if you tick it.
    </p>
  ) : (
    ""
  );

const renderStream = ({ label, heading, stream, parts }: FormStream, isOneOfMany: boolean): Html => (
  <div class="stream" role="group" aria-label={heading} data-stream={label}>
    {isOneOfMany && <h3>{heading}</h3>}
    <div class="parts">{parts.map(renderPart)}</div>
    {renderStreamLimits("Asks only for", stream)}
  </div>
);

export function renderStreamLimits(
  intro: string,
  { since, until, resources }: FormStream["stream"],
  names: readonly string[] = [],
): Html | string {
  const limits = [
    names.join(" and "),
    since === undefined ? "" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    resources === undefined
      ? ""
      : resources.length === 1
        ? "one specific record"
        : `${resources.length} specific records`,
  ].filter((text) => text !== "");
  return limits.length === 0 ? (
    ""
  ) : (
    <p class="soft">
      {intro} {limits.join(", ")}.
    </p>
  );
}

export const renderPart = (part: FormPart): Html => (
  <label class="tick">
    <input
      type="checkbox"
      name={part.input}
      value={part.value}
      checked={part.isTicked}
      autocomplete="off"
      data-kind={part.kind}
      data-included={part.included.join("|")}
      data-missing={part.missing}
      data-presets={part.presets.join(" ")}
    />{" "}
    <span>
      {part.label}
      <small>{part.examples.length > 0 ? renderQuotes(part.examples) : part.note}</small>
    </span>
  </label>
);

const renderQuotes = (examples: readonly string[]): Html => joinHtml(examples, ", ", (example) => <q>{example}</q>);
