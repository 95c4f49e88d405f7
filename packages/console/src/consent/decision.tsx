import { type Choice, dayChoices } from "@pdpp/consent/choice";
import { lowerFirst } from "@pdpp/consent/labels";
import type { Offer } from "@pdpp/consent/offer";
import { buildSentence, countChosen, formatSources, joinWords, type Row } from "../../assets/sentence.js";
import type { Html } from "../frame/frame.tsx";
import { decisionId } from "./source-list.tsx";

/** The limits of a decision, its exact sentence, and its buttons. */

export interface Decision {
  readonly client: string;
  readonly offer: Offer;
  readonly choice: Choice;
  readonly rows: readonly Row[];
  readonly now: number;
  /** The owner's time zone, in which access ends. */
  readonly timeZone: string;
}

const dayMs = 86_400_000;
const singleUseText = "once, within one hour";

/** As words of a sentence and of a button. */
interface Duration {
  readonly end: string;
  readonly span: string;
}

function describeDays(days: number, { now, timeZone }: Pick<Decision, "now" | "timeZone">): Duration {
  if (days === 0) return { end: "until you revoke it", span: "until you revoke it" };
  const date = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone }).format(now + days * dayMs);
  return { end: `until ${date}`, span: `for ${formatDays(days)}` };
}

const describeDuration = (decision: Decision): Duration =>
  decision.offer.isSingleUse
    ? { end: singleUseText, span: singleUseText }
    : describeDays(decision.choice.days, decision);

const formatDays = (days: number): string => {
  if (days === 0) return "until I revoke it";
  return days === 1 ? "1 day" : days === 365 ? "1 year" : `${days} days`;
};

export function renderLimits(decision: Decision): Html {
  const { offer, choice } = decision;
  return (
    <section class="limits" aria-labelledby="limits">
      <h2 id="limits">Limits</h2>
      <div class="row">
        {offer.isSingleUse ? (
          <span>Access is for one use within one hour.</span>
        ) : (
          <label>
            Access ends after{" "}
            <select name="days" autocomplete="off">
              {dayChoices.map((days) => {
                const { end, span } = describeDays(days, decision);
                return (
                  <option value={days} selected={days === choice.days} data-end={end} data-span={span}>
                    {days === 0 ? "Until I revoke it" : formatDays(days)}
                  </option>
                );
              })}
            </select>
          </label>
        )}{" "}
        <label>
          Only items dated on or after{" "}
          <input type="date" name="since" value={choice.since} autocomplete="off" aria-describedby="since-note" />
        </label>
      </div>
      <p class="soft" id="since-note">
        {describeSinceNote(offer)}
      </p>
    </section>
  );
}

/** A derived source is named as a whole: its streams mean nothing to somebody who has not opened it. */
export function describeSinceNote({ sources }: Offer): string {
  const undated = new Set(
    sources.flatMap(({ label, isDerived, streams }) => {
      const unlimited = streams.filter(({ isDated }) => !isDated);
      return isDerived === true && unlimited.length > 0 ? [label] : unlimited.map((each) => lowerFirst(each.label));
    }),
  );
  const note = "Leave empty to include everything, however old.";
  return undated.size === 0
    ? note
    : `${note} The date does not limit ${joinWords([...undated])}: if you select them, all of them can be read.`;
}

const maxPrivateNames = 12;

export function describePrivacy({ notRequested }: Offer): string {
  if (notRequested.length === 0) return "Access is read-only.";
  const rest = notRequested.length - maxPrivateNames;
  const names = [...notRequested.slice(0, maxPrivateNames), ...(rest > 0 ? [`${rest} more`] : [])];
  return `Anything not selected stays private, including ${joinWords(names)}. Access is read-only.`;
}

const noChoiceText = "Choose a starting point or at least one source.";

/** Describes the access; with nothing chosen, asks for a choice. */
export function renderSentence(decision: Decision): Html {
  const { client, rows, choice } = decision;
  const pieces = buildSentence(client, rows, describeDuration(decision).end, choice.since);
  return pieces.length === 0 ? (
    <>{decision.offer.isSpecific ? "Choose at least one source." : noChoiceText}</>
  ) : (
    <>{pieces.map(({ text, isName }) => (isName === true ? <b>{text}</b> : text))}</>
  );
}

interface Buttons {
  readonly action: string;
  /** "Allow": what the button does, before the count of sources. */
  readonly verb: string;
  /** Such as "Claude Code to read", which phones leave out. */
  readonly object: string;
  /** Where a form without scripts goes first. */
  readonly firstStep: { readonly act: string; readonly label: string };
  readonly cancel: Html;
}

/** The script keeps the sentence, the counter and the button in step with the form. */
export function renderDecisionBar(decision: Decision, { action, verb, object, firstStep, cancel }: Buttons): Html {
  const { client, rows, offer } = decision;
  const isEmpty = countChosen(rows) === 0;
  return (
    <div
      class="decision"
      data-client={client}
      data-verb={verb}
      data-object={object}
      data-end={offer.isSingleUse ? singleUseText : undefined}
      data-empty={offer.isSpecific ? "Choose at least one source." : noChoiceText}
    >
      <p id={decisionId} tabindex={-1}>
        <span class="sentence" data-sentence="" aria-live="polite">
          {renderSentence(decision)}
        </span>{" "}
        <button
          class="link"
          name="act"
          value="preview"
          formaction={`${action}#review`}
          hidden={isEmpty}
          data-preview=""
        >
          Preview<span class="wide-only"> what it would see</span>
        </button>
      </p>
      <div class="verdict">
        {cancel}
        <button class="yes" name="act" value={firstStep.act} data-decide="">
          {firstStep.label}
        </button>
      </div>
    </div>
  );
}

/** "Allow Claude Code to read 2 sources" and "for 30 days", on a page that is not a form to change. */
export function renderAllowLabel(decision: Decision, verb: string, object: string): Html {
  return (
    <>
      <span>
        {verb} <span class="wide-only">{object} </span>
        {formatSources(countChosen(decision.rows))}
      </span>{" "}
      <small>{describeDuration(decision).span}</small>
    </>
  );
}
