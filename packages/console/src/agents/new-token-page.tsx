import { type Choice, maxNameChars, maxPurposeChars } from "@pdpp/consent/choice";
import type { Offer } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import {
  getPrivacyNote,
  renderFormTools,
  renderPresetButtons,
  renderPreview,
  renderSource,
  renderTimeLimits,
} from "../consent/choice-form.tsx";
import { type Html, renderCsrfField, renderPage } from "../frame/frame.tsx";
import { renderAlert, renderBackLink } from "../frame/render/parts.tsx";
import { renderText } from "../frame/render/values.tsx";
import { buildPageOptions, type PageContext } from "./agents-page.tsx";
import { renderSetupGuides, type SetupGuide } from "./setup-guides.tsx";

/** A token that the owner creates for an agent that can't sign in. */

export interface NewTokenView extends PageContext {
  readonly name: string;
  readonly purpose: string;
  readonly offer: Offer;
  readonly choice: Choice;
  /** A form that is sent twice creates one grant. */
  readonly formId: string;
  readonly notice: string | undefined;
  readonly preview: Preview | undefined;
}

const action = "/agents/new";

export function renderNewTokenPage(view: NewTokenView): Html {
  const { offer, choice, preview } = view;
  const isEmpty = offer.sources.length === 0;
  return renderPage(
    "Create a token",
    <>
      {renderBackLink("/agents", "Agents")}
      <h1>Create a token</h1>
      <p>
        For a script, or an agent that can't sign in. Anyone with the token can read what you select here until it
        expires or you revoke it.
      </p>
      {renderAlert(view.notice)}
      {isEmpty ? (
        <p class="attention">Your vault has no data to share yet.</p>
      ) : (
        <form class="consent" method="post" action={action}>
          {renderCsrfField(view.viewer)}
          <input type="hidden" name="form" value={view.formId} />
          <input type="hidden" name="by_field" value={choice.byField ? "yes" : "no"} />
          <div class="source-row">
            <div class="name">
              <h2>Agent</h2>
            </div>
            <div class="what stack">
              <label>
                Name <input type="text" name="name" value={view.name} maxlength={maxNameChars} autocomplete="off" />
              </label>{" "}
              <label>
                Purpose <small>A note to yourself</small>{" "}
                <input type="text" name="purpose" value={view.purpose} maxlength={maxPurposeChars} autocomplete="off" />
              </label>
            </div>
          </div>
          <p class="begin">Choose what it can read. Start from:</p>
          <div class="presets">{renderPresetButtons()}</div>
          {offer.sources.map((source) => renderSource(source, choice, { isCurrent: false }))}
          {renderTimeLimits(offer, choice)}
          <p class="not">{getPrivacyNote(offer)}</p>
          {renderFormTools(action, choice)}
          {preview !== undefined && renderPreview(preview, undefined)}
          <div class="buttons decide">
            <a class="button" href="/agents">
              Cancel
            </a>{" "}
            <button class="yes" name="act" value="allow" data-label="Create token">
              Create token
            </button>
          </div>
        </form>
      )}
    </>,
    { ...buildPageOptions(view), scripts: ["/assets/consent.js"] },
  );
}

export interface TokenView extends PageContext {
  readonly name: string;
  readonly id: string;
  readonly token: string;
  readonly mcpUrl: string;
  readonly ways: readonly SetupGuide[];
}

export const renderTokenPage = (view: TokenView): Html =>
  renderPage(
    "New token",
    <>
      {renderBackLink("/agents", "Agents")}
      <h1>Token for {renderText(view.name)}</h1>
      <p class="done" role="status">
        Copy it now. It is shown only once; the vault stores only its hash.
      </p>
      <p>
        <code class="copy">{view.token}</code>
      </p>
      <p>
        Send it as <code>Authorization: Bearer …</code> to this address:
      </p>
      <p>
        <code class="copy">{view.mcpUrl}</code>
      </p>
      <h2>Set up your agent</h2>
      {renderSetupGuides(view.ways)}
      <p class="soft">
        Anyone who can read these files has the token. <a href={`/agents/${view.id}`}>View or revoke its access</a>
      </p>
    </>,
    buildPageOptions(view),
  );

export const renderTokenShownPage = (shown: PageContext): Html =>
  renderPage(
    "Token already shown",
    <>
      {renderBackLink("/agents", "Agents")}
      <h1>Token already shown</h1>
      <p>It can't be shown again, because the vault stores only its hash.</p>
      <p>
        If you didn't copy it, <a href="/agents">revoke it</a> and <a href="/agents/new">create another</a>.
      </p>
    </>,
    buildPageOptions(shown),
  );
