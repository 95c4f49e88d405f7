import { type Choice, formatFieldKey, formatGroupKey, isGroupChosen, listChosenFields } from "@pdpp/consent/choice";
import type { Offer, OfferedSource } from "@pdpp/consent/offer";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import { buildRows, type FormRow } from "./choice-row.ts";
import { describeSinceNote } from "./decision.tsx";
import { renderDerivedNote, renderPart, renderStreamLimits } from "./source-list.tsx";

/** The form on which an owner reduces an agent's access: connectors with all their accounts. */

export const renderFormTools = (action: string, { byField }: Choice): Html => (
  <div class="buttons">
    <button name="act" value="preview" formaction={`${action}#review`}>
      Preview
    </button>{" "}
    <button name="act" value={byField ? "by-part" : "by-field"}>
      {byField ? "Choose by category" : "Choose individual fields"}
    </button>
  </div>
);

export const renderCurrentSources = (offer: Offer, choice: Choice): Html => (
  <>{buildRows(offer, choice).map((row) => renderSource(row, choice))}</>
);

function renderSource(row: FormRow, choice: Choice): Html {
  const { label, source, streams } = row;
  const { accounts } = source;
  // A selection is never hidden in a closed section.
  const isOpen = source.streams.some((stream) => listChosenFields(choice, source.key, stream).length > 0);
  return (
    <div class="source-row" role="group" aria-label={label}>
      <div class="name">
        {renderLetterMark(label)}
        <h2>{label}</h2>
      </div>
      <div class="what">
        {renderDerivedNote(row)}
        <div role="group" aria-label="From">
          {accounts.map(({ id, label: name }) => (
            <label class="tick">
              <input type="checkbox" name="account" value={id} checked={choice.accounts.has(id)} />
              <span>{name}</span>
            </label>
          ))}
        </div>
        <details open={isOpen}>
          <summary>
            What it can read<span class="hidden">: {label}</span>
          </summary>
          {streams.map(({ heading, stream, parts }) => (
            <div class="stream" role="group" aria-label={heading}>
              {streams.length > 1 && <h3>{heading}</h3>}
              {parts.map(renderPart)}
              {renderStreamLimits("Limited to", stream, listLimitedAccounts(source, stream.accounts))}
            </div>
          ))}
        </details>
      </div>
    </div>
  );
}

/** Names the accounts of a stream where it has fewer than the source. */
const listLimitedAccounts = ({ accounts }: OfferedSource, ids: readonly string[] | undefined): string[] =>
  ids === undefined || accounts.every(({ id }) => ids.includes(id))
    ? []
    : accounts.filter(({ id }) => ids.includes(id)).map(({ label }) => label);

/** `end`: the field with which the owner chooses the end. */
export const renderTimeLimits = (offer: Offer, choice: Choice, end: Html): Html => (
  <div class="source-row" role="group" aria-label="Time limits">
    <div class="name">
      <h2>Time limits</h2>
    </div>
    <div class="what">
      <div class="row">
        {end}{" "}
        <label>
          Only items dated on or after <input type="date" name="since" value={choice.since} />
        </label>
      </div>
      <p class="soft">{describeSinceNote(offer)} You can revoke access at any time.</p>
    </div>
  </div>
);

/** The choice as fields that the owner doesn't see, for a page that only confirms it. */
export const renderHiddenChoice = ({ sources }: Offer, choice: Choice): Html => {
  const keys = sources.flatMap((source) =>
    source.streams.flatMap(({ name: stream, groups }) =>
      choice.byField
        ? groups.flatMap(({ fields }) => fields.map(({ name }) => formatFieldKey(source.key, stream, name)))
        : groups
            .filter((group) => isGroupChosen(choice, source.key, stream, group))
            .map(({ kind }) => formatGroupKey(source.key, stream, kind)),
    ),
  );
  const chosen = choice.byField ? keys.filter((key) => choice.fields.has(key)) : keys;
  const values: readonly (readonly [string, string])[] = [
    ["by_field", choice.byField ? "yes" : "no"],
    ["preset", choice.preset],
    ["preset_shown", choice.preset],
    ["since", choice.since],
    ["days", String(choice.days)],
    ...[...choice.accounts].map((id) => ["account", id] as const),
    ...chosen.map((key) => [choice.byField ? "field" : "part", key] as const),
  ];
  return (
    <>
      {values.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
};
