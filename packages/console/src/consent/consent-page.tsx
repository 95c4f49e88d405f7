import type { AccessChange } from "@pdpp/consent/access";
import { type Choice, trainingField } from "@pdpp/consent/choice";
import type { EarlierAccess } from "@pdpp/consent/earlier";
import type { Offer } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import { describePurpose, isTrainingPurpose } from "@pdpp/consent/purpose";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { countChosen, describeRow, formatSources } from "../../assets/sentence.js";
import { renderTimes } from "../agents/agent-rows.tsx";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderAlert } from "../frame/render/parts.tsx";
import { renderName } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { renderHiddenChoice } from "./choice-form.tsx";
import { buildRows } from "./choice-row.ts";
import {
  type Decision,
  describePrivacy,
  renderAllowLabel,
  renderDecisionBar,
  renderLimits,
  renderSentence,
} from "./decision.tsx";
import { renderAccessList, renderChanges, renderPreview } from "./preview.tsx";
import { renderDerivedNote, renderPresets, renderSourceList } from "./source-list.tsx";

/** The page on which the owner decides about a client's request. */

/** A purpose that the client declared, as text, as a code, or both. */
export interface DeclaredPurpose {
  readonly description: string | undefined;
  readonly code: string | undefined;
}

export interface ConsentView {
  readonly action: string;
  readonly client: string;
  readonly purposes: readonly DeclaredPurpose[];
  /** The client's promises, which can't be verified. */
  readonly claims: readonly string[];
  /** Who receives the access, as a sentence. */
  readonly recipient: string;
  readonly offer: Offer;
  readonly choice: Choice;
  /** Access that this client, or another with its name, already has. */
  readonly earlier: readonly EarlierAccess[];
  /** Ids of the earlier agents whose access ends when this is allowed. */
  readonly replaced: ReadonlySet<string>;
  /** Compared with its earlier access: of the request, or in a preview of the selection. */
  readonly changes: readonly AccessChange[];
  /** Accounts whose access would stay the same. */
  readonly unchanged: readonly string[];
  readonly revision: string;
  readonly viewer: Pick<Viewer, "csrfToken">;
  readonly now: number;
  readonly timeZone: string;
  readonly notice: string | undefined;
  readonly preview: Preview | undefined;
}

/** What a client says about itself can be a few sentences. */
const maxClaimChars = 1000;

export function renderConsentPage(view: ConsentView): Html {
  const { offer, choice, preview } = view;
  const client = isolateLabel(view.client);
  const isEmpty = offer.sources.length === 0;
  const rows = buildRows(offer, choice);
  const decision: Decision = { client, offer, choice, rows, now: view.now, timeZone: view.timeZone };
  return renderPage(
    `${client} requests access`,
    <>
      {renderAsker(view)}
      {renderAlert(view.notice)}
      {view.claims.length > 0 && renderClaims(view.claims)}
      {offer.unknown.length > 0 && (
        <p class="soft">
          It also asked for data your vault doesn't have: {offer.unknown.map((name) => isolateLabel(name)).join(", ")}.
        </p>
      )}
      {isEmpty && <p class="attention">Your vault has no data to share yet.</p>}
      <form class="consent page-wide" method="post" action={view.action}>
        {renderHiddenFields(view)}
        {view.earlier.length > 0 && renderEarlierAccess(view)}
        {!(offer.isSpecific || isEmpty) &&
          renderPresets(
            {
              wide: `${client} didn't ask for anything specific. Start from:`,
              short: "No specific request. Start from:",
            },
            offer,
            choice.preset,
          )}
        {!isEmpty && renderSourceList(rows, choice)}
        {!isEmpty && renderLimits(decision)}
        {preview !== undefined &&
          renderPreview(
            preview,
            view.earlier.length === 0 ? undefined : renderChanges("Changes", view.changes, view.unchanged),
          )}
        {hasTrainingPurpose(offer) && renderTrainingQuestion(choice)}
        {isEmpty ? (
          <div class="verdict">{cancelButton}</div>
        ) : (
          renderDecisionBar(decision, {
            action: view.action,
            verb: "Allow",
            object: `${client} to read`,
            firstStep: { act: "review", label: "Review" },
            cancel: cancelButton,
          })
        )}
      </form>
    </>,
    { scripts: ["/assets/consent.js"] },
  );
}

const cancelButton = (
  <button name="act" value="deny">
    Cancel
  </button>
);

const hasTrainingPurpose = ({ sources }: Offer): boolean =>
  sources.some(({ purposeCode }) => isTrainingPurpose(purposeCode));

const renderHiddenFields = ({ revision, viewer }: ConsentView): Html => (
  <>
    <input type="hidden" name="revision" value={revision} />
    {renderCsrfField(viewer)}
  </>
);

const renderAsker = ({ client, purposes, recipient, offer }: ConsentView): Html => (
  <>
    <div class="title asker">
      {renderLetterMark(client)}
      <h1>
        <q>{renderName(client)}</q> wants to read your data
      </h1>
    </div>
    {purposes.map(renderPurpose)}
    <p class="soft">
      {recipient} <q>{renderName(client)}</q> is the name it gave; it isn't verified. {describePrivacy(offer)}
    </p>
  </>
);

/** Without scripts, the decision is shown in words before it is made. */
export function renderReviewPage(view: ConsentView): Html {
  const { offer, choice } = view;
  const client = isolateLabel(view.client);
  const rows = buildRows(offer, choice);
  const decision: Decision = { client, offer, choice, rows, now: view.now, timeZone: view.timeZone };
  const chosen = rows.filter((row) => countChosen([row]) > 0);
  return renderPage(
    `Allow ${client}?`,
    <>
      <div class="title asker">
        {renderLetterMark(client)}
        <h1>
          Allow <q>{renderName(client)}</q> to read {formatSources(chosen.length)}?
        </h1>
      </div>
      <p>{renderSentence(decision)}</p>
      <form class="consent page-wide" method="post" action={view.action}>
        {renderHiddenFields(view)}
        {renderHiddenChoice(offer, choice)}
        {[...view.replaced].map((id) => (
          <input type="hidden" name="replace" value={id} />
        ))}
        <ul class="source-list">
          {chosen.map((row) => (
            <li class="source-choice reviewed">
              {renderLetterMark(row.label)}
              <div>
                <strong>{row.label}</strong> {row.source.size !== undefined && <small>{row.source.size}</small>}
                {renderDerivedNote(row)}
                <p class="reads">{describeRow(row)}</p>
              </div>
            </li>
          ))}
        </ul>
        {view.earlier.length > 0 && renderChanges("Changes to its access", view.changes, view.unchanged)}
        {hasTrainingPurpose(offer) && renderTrainingQuestion(choice)}
        <div class="decision">
          <p>
            <button class="link" name="act" value="edit">
              Change the selection
            </button>
          </p>
          <div class="verdict">
            {cancelButton}
            <button class="yes" name="act" value="allow">
              {renderAllowLabel(decision, "Allow", `${client} to read`)}
            </button>
          </div>
        </div>
      </form>
    </>,
  );
}

function renderPurpose({ description, code }: DeclaredPurpose): Html {
  const label = code === undefined ? undefined : describePurpose(code);
  return (
    <>
      {description !== undefined && (
        <p>
          Stated purpose: <q>{renderName(description, maxClaimChars)}</q>
        </p>
      )}
      {label !== undefined && <p>Declared purpose: {label}.</p>}
      {code !== undefined && label === undefined && description === undefined && (
        <p>
          Declared purpose: <code>{renderName(code)}</code>
        </p>
      )}
    </>
  );
}

const renderClaims = (claims: readonly string[]): Html => (
  <section class="card claims" aria-label="The app's promises">
    <h2>The app promises</h2>
    <ul>
      {claims.map((claim) => (
        <li>
          <q>{renderName(claim, maxClaimChars)}</q>
        </li>
      ))}
    </ul>
    <p class="soft">Your vault can't check or enforce these.</p>
  </section>
);

/** Not `required`, because the browser would then block the Cancel button too. */
const renderTrainingQuestion = ({ training }: Choice): Html => (
  <section class="card" aria-label="Training AI models">
    <h2>Training AI models</h2>
    <p>The app wants to use your data to train AI models.</p>
    <label class="tick">
      <input type="checkbox" name={trainingField} value="yes" checked={training} />{" "}
      <span>
        Yes, this app may use what I share to train AI models
        <small>What a model has learned can't be taken back, even if you revoke access later.</small>
      </span>
    </label>
  </section>
);

const renderEarlierAccess = ({ earlier, replaced, offer, preview, changes, unchanged, now }: ConsentView): Html => (
  <section class="card" aria-label="Current access">
    {earlier.map(({ agent, isSameClient }) => (
      <>
        <h2>{isSameClient ? "It already has access" : "An app with this name already has access"}</h2>
        {renderAccessList(agent.access)}
        <p class="soft">{renderTimes(agent, now)}</p>
        <label class="tick">
          <input type="checkbox" name="replace" value={agent.id} checked={replaced.has(agent.id)} />{" "}
          <span>
            Replace this access
            <small>
              {isSameClient
                ? "Its current access ends when you allow this. Keep both if you use it on two computers."
                : "Select this if it is the same app. Its current access ends when you allow this."}
            </small>
          </span>
        </label>
      </>
    ))}
    {offer.isSpecific && preview === undefined && renderChanges("Changes in this request", changes, unchanged)}
    {!offer.isSpecific && earlier.some(({ isSameClient }) => isSameClient) && (
      <p>
        <button class="link" name="act" value="preset-before">
          Start from its current access
        </button>
      </p>
    )}
  </section>
);
