import type { AccessChange } from "@pdpp/consent/access";
import {
  type Choice,
  dayChoices,
  formatFieldKey,
  formatGroupKey,
  isGroupChosen,
  listChosenFields,
  presets,
} from "@pdpp/consent/choice";
import { groupLabels } from "@pdpp/consent/field-groups";
import type { Offer, OfferedGroup, OfferedSource, OfferedStream } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import { renderAccessSummary } from "../agents/agents-page.tsx";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import { joinHtml, renderTerm } from "../frame/render/parts.tsx";

/** The parts of a form on which an owner chooses what to share: sources with their accounts and fields, time limits, and a preview. */

export const renderPresetButtons = (): Html => (
  <>
    {presets.map(({ name, label }) => (
      <button name="act" value={`preset-${name}`}>
        {label}
      </button>
    ))}
  </>
);

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

export interface FormContext {
  /** The offer is what an agent has now, not what it asks for. */
  readonly isCurrent: boolean;
}

const changeSigns = { added: "+", removed: "−", changed: "≠" } as const;
const changeLabels = { added: "Added", removed: "Removed", changed: "Changed" } as const;

export const renderChanges = (title: string, changes: readonly AccessChange[]): Html => (
  <>
    <h3>{title}</h3>
    {changes.length === 0 ? (
      <p>No changes.</p>
    ) : (
      <ul class="changes">
        {changes.map(({ kind, text }) => (
          <li class={kind}>
            <span aria-hidden="true">{changeSigns[kind]}</span>
            <span>
              <strong>{changeLabels[kind]}:</strong> {text}
            </span>
          </li>
        ))}
      </ul>
    )}
  </>
);

export function renderSource(source: OfferedSource, choice: Choice, context: FormContext): Html {
  const { label, accounts, streams } = source;
  // A selection is never hidden in a closed section.
  const isOpen = streams.some((stream) => listChosenFields(choice, source.connectorKey, stream).length > 0);
  return (
    <div class="source-row" role="group" aria-label={label}>
      <div class="name">
        {renderLetterMark(label)}
        <h2>{label}</h2>
      </div>
      <div class="what">
        <div role="group" aria-label="From">
          {accounts.map(({ id, label: name, size }) => (
            <label class="tick">
              <input type="checkbox" name="account" value={id} checked={choice.accounts.has(id)} />
              <span>{renderAccountLabel(label, name, size)}</span>
            </label>
          ))}
        </div>
        <details open={isOpen}>
          <summary>
            What it can read<span class="hidden">: {label}</span>
          </summary>
          {streams.map((stream) => renderStream(source, stream, choice, context))}
        </details>
      </div>
    </div>
  );
}

/** An account with the same name as its source is distinguished by its size. */
const renderAccountLabel = (source: string, name: string, size: string | undefined): Html => {
  if (size === undefined) return <>{name}</>;
  return name === source ? (
    <>{size}</>
  ) : (
    <>
      {name} <small class="inline">{size}</small>
    </>
  );
};

function renderStream(
  { connectorKey, accounts, streams }: OfferedSource,
  stream: OfferedStream,
  choice: Choice,
  context: FormContext,
): Html {
  // Names the accounts where it asks for fewer of this stream than of the source.
  const names =
    stream.accounts === undefined ||
    accounts.every(({ id, isRequested }) => !isRequested || stream.accounts?.includes(id))
      ? []
      : accounts.filter(({ id }) => stream.accounts?.includes(id)).map(({ label }) => label);
  return (
    <div class="stream" role="group" aria-label={stream.label}>
      {streams.length > 1 && <h3>{stream.label}</h3>}
      {stream.groups.map((group) =>
        choice.byField
          ? renderFieldCheckboxes(connectorKey, stream.name, group, choice)
          : renderGroupCheckbox(connectorKey, stream.name, group, choice),
      )}
      {renderLimits(stream, names, context)}
    </div>
  );
}

function renderLimits(
  { since, until, resources }: OfferedStream,
  names: readonly string[],
  { isCurrent }: FormContext,
): Html | string {
  const limits = [
    names.length === 0 ? "" : joinNames(names),
    since === undefined ? "" : `since ${since}`,
    until === undefined ? "" : `before ${until}`,
    resources === undefined
      ? ""
      : `${resources.length === 1 ? "one specific record" : `${resources.length} specific records`}`,
  ].filter((text) => text !== "");
  return limits.length === 0 ? (
    ""
  ) : (
    <p class="soft">
      {isCurrent ? "Limited to" : "Asks only for"} {limits.join(", ")}.
    </p>
  );
}

function renderGroupCheckbox(connectorKey: string, stream: string, group: OfferedGroup, choice: Choice): Html {
  const name = formatGroupKey(connectorKey, stream, group.kind);
  const examples = group.fields.flatMap(({ example }) => (example === undefined ? [] : [example])).slice(0, 3);
  const labels = group.fields.map(({ label }) => label).join(", ");
  return (
    <label class="tick">
      <input type="checkbox" name="part" value={name} checked={isGroupChosen(choice, connectorKey, stream, group)} />{" "}
      <span>
        {groupLabels[group.kind]}
        <small>
          {labels}
          {examples.length > 0 && <>; for example {renderQuotes(examples)}</>}
        </small>
      </span>
    </label>
  );
}

const renderQuotes = (examples: readonly string[]): Html => (
  <>
    {joinHtml(examples, ", ", (example) => (
      <q>{example}</q>
    ))}
  </>
);

const renderFieldCheckboxes = (connectorKey: string, stream: string, group: OfferedGroup, choice: Choice): Html => (
  <>
    {group.fields.map((field) => {
      const name = formatFieldKey(connectorKey, stream, field.name);
      return (
        <label class="tick">
          <input type="checkbox" name="field" value={name} checked={choice.fields.has(name)} />{" "}
          <span>
            {field.label}
            {field.example !== undefined && (
              <small>
                for example <q>{field.example}</q>
              </small>
            )}
          </span>
        </label>
      );
    })}
  </>
);

/** `end`: the field with which the owner chooses the end. */
export function renderTimeLimits(offer: Offer, choice: Choice, end: Html = renderDaysField(choice)): Html {
  const undated = offer.sources.flatMap(({ label, streams }) =>
    streams.filter(({ isDated }) => !isDated).map((stream) => `${label}: ${stream.label}`),
  );
  return (
    <div class="source-row" role="group" aria-label="Time limits">
      <div class="name">
        <h2>Time limits</h2>
      </div>
      <div class="what">
        <div class="row">
          {offer.isSingleUse ? <span data-time={singleUseText}>Access is for one use within one hour.</span> : end}{" "}
          <label>
            Only items dated on or after <input type="date" name="since" value={choice.since} />
          </label>
        </div>
        <p class="soft">
          Leave empty to include everything, however old. You can revoke access at any time.
          {undated.length > 0 && ` These have no dates, so the limit doesn't apply to them: ${undated.join(", ")}.`}
        </p>
      </div>
    </div>
  );
}

const singleUseText = "once, within one hour";

const renderDaysField = (choice: Choice): Html => (
  <label>
    Access for{" "}
    <select name="days">
      {dayChoices.map((days) => (
        <option value={days} selected={days === choice.days}>
          {formatDays(days)}
        </option>
      ))}
    </select>
  </label>
);

const formatDays = (days: number): string => {
  if (days === 0) return "Until I revoke it";
  return days === 1 ? "1 day" : days === 365 ? "1 year" : `${days} days`;
};

const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

export const getPrivacyNote = ({ notRequested }: Offer): string =>
  notRequested.length === 0
    ? "Anything not selected stays private. Access is read-only."
    : `Anything not selected stays private, including ${joinNames(notRequested)}. Access is read-only.`;

export const renderPreview = (
  { access, cards, firstCall }: Preview,
  changes: readonly AccessChange[] | undefined,
): Html => (
  <section class="review" id="review" aria-label="Preview">
    <h2>Preview</h2>
    {access.length === 0 ? (
      <p class="attention">Nothing is selected. Choose a source and what it can read.</p>
    ) : (
      <p>{renderAccessSummary(access)}</p>
    )}
    {!(changes === undefined || access.length === 0) && renderChanges("Changes", changes)}
    {cards.length > 0 && <h3>Latest records it would see</h3>}
    {cards.map(({ source, title, lines }) => (
      <div class="card">
        <small>{source}</small>
        <div>
          <strong>{title}</strong>
        </div>
        <dl>{lines.map(({ label, value }) => renderTerm(label, value))}</dl>
      </div>
    ))}
    {firstCall !== undefined && (
      <details class="tool-output">
        <summary>Schema it would receive</summary>
        <p class="soft">
          The exact result of <code>{"schema {}"}</code>:
        </p>
        <pre dir="auto" tabindex={0}>
          {firstCall}
        </pre>
      </details>
    )}
  </section>
);
