import type { AccessChange } from "@pdpp/consent/access";
import { type Choice, trainingField } from "@pdpp/consent/choice";
import type { EarlierAccess } from "@pdpp/consent/earlier";
import type { Offer } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import { describePurpose, isTrainingPurpose } from "@pdpp/consent/purpose";
import { renderAccessSummary, renderTimes } from "../agents/agents-page.tsx";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderAlert } from "../frame/render/parts.tsx";
import type { Viewer } from "../frame/viewer.ts";
import {
  getPrivacyNote,
  renderChanges,
  renderFormTools,
  renderPresetButtons,
  renderPreview,
  renderSource,
  renderTimeLimits,
} from "./choice-form.tsx";

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
  readonly revision: string;
  readonly viewer: Viewer;
  readonly now: number;
  readonly notice: string | undefined;
  readonly preview: Preview | undefined;
}

export function renderConsentPage(view: ConsentView): Html {
  const { client, offer, choice, preview } = view;
  const isEmpty = offer.sources.length === 0;
  return renderPage(
    `${client} requests access`,
    <>
      <div class="title">
        {renderLetterMark(client)}
        <h1>
          <q>{client}</q> wants to read your data
        </h1>
      </div>
      {view.purposes.map(renderPurpose)}
      <p class="soft">
        {view.recipient} <q>{client}</q> is the name it gave; it isn't verified.
      </p>
      {renderAlert(view.notice)}
      {view.claims.length > 0 && renderClaims(view.claims)}
      {offer.unknown.length > 0 && (
        <p class="soft">It also asked for data your vault doesn't have: {offer.unknown.join(", ")}.</p>
      )}
      {isEmpty && <p class="attention">Your vault has no data to share yet.</p>}
      <form class="consent" method="post" action={view.action}>
        <input type="hidden" name="revision" value={view.revision} />
        {renderCsrfField(view.viewer)}
        <input type="hidden" name="by_field" value={choice.byField ? "yes" : "no"} />
        {view.earlier.length > 0 && renderEarlierAccess(view)}
        {!(offer.isSpecific || isEmpty) &&
          renderPresets(
            client,
            view.earlier.some(({ isSameClient }) => isSameClient),
          )}
        {offer.sources.map((source) => renderSource(source, choice, { isCurrent: false }))}
        {!isEmpty && renderTimeLimits(offer, choice)}
        {!isEmpty && <p class="not">{getPrivacyNote(offer)}</p>}
        {!isEmpty && renderFormTools(view.action, choice)}
        {preview !== undefined && renderPreview(preview, view.earlier.length === 0 ? undefined : view.changes)}
        {offer.sources.some(({ purposeCode }) => isTrainingPurpose(purposeCode)) && renderTrainingQuestion(choice)}
        <div class="buttons decide">
          <button name="act" value="deny">
            Cancel
          </button>{" "}
          {!isEmpty && (
            <button class="yes" name="act" value="allow" data-label="Allow access">
              Allow access
            </button>
          )}
        </div>
      </form>
    </>,
    { scripts: ["/assets/consent.js"] },
  );
}

function renderPurpose({ description, code }: DeclaredPurpose): Html {
  const label = code === undefined ? undefined : describePurpose(code);
  return (
    <>
      {description !== undefined && (
        <p>
          Stated purpose: <q>{description}</q>
        </p>
      )}
      {label !== undefined && <p>Declared purpose: {label}.</p>}
      {code !== undefined && label === undefined && description === undefined && (
        <p>
          Declared purpose: <code>{code}</code>
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
          <q>{claim}</q>
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

const renderPresets = (client: string, isReturning: boolean): Html => (
  <>
    <p class="begin">{client} didn't ask for anything specific. Start from:</p>
    <div class="presets">
      {isReturning && (
        <button name="act" value="preset-before">
          Its current access
        </button>
      )}
      {renderPresetButtons()}
    </div>
  </>
);

const renderEarlierAccess = ({ earlier, replaced, offer, preview, changes, now }: ConsentView): Html => (
  <section class="card" aria-label="Current access">
    {earlier.map(({ agent, isSameClient }) => (
      <>
        <h2>{isSameClient ? "It already has access" : "An app with this name already has access"}</h2>
        <p>{renderAccessSummary(agent.access)}</p>
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
    {offer.isSpecific && preview === undefined && renderChanges("Changes in this request", changes)}
  </section>
);
