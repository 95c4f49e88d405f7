import { type Choice, maxNameChars, maxPurposeChars } from "@pdpp/consent/choice";
import type { Offer } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import { buildRows } from "../consent/choice-row.ts";
import { type Decision, renderDecisionBar, renderLimits } from "../consent/decision.tsx";
import { renderPreview } from "../consent/preview.tsx";
import { renderPresets, renderSourceList } from "../consent/source-list.tsx";
import { type Html, renderCsrfField, renderPage } from "../frame/frame.tsx";
import { renderAlert, renderBackLink } from "../frame/render/parts.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { PageContext } from "./agent-rows.tsx";
import { buildPageOptions } from "./agents-page.tsx";
import { renderCopyLine, renderCopyStatus } from "./copy-line.tsx";
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
  readonly timeZone: string;
}

const action = "/agents/new";

export function renderNewTokenPage(view: NewTokenView): Html {
  const { offer, choice, preview } = view;
  const isEmpty = offer.sources.length === 0;
  const rows = buildRows(offer, choice);
  const decision: Decision = { client: "The token", offer, choice, rows, now: view.now, timeZone: view.timeZone };
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
          {renderPresets(
            { wide: "Choose what it can read. Start from:", short: "What it can read. Start from:" },
            offer,
            choice.preset,
          )}
          {renderSourceList(rows, choice)}
          {renderLimits(decision)}
          {preview !== undefined && renderPreview(preview, undefined)}
          {renderDecisionBar(decision, {
            action,
            verb: "Create token",
            object: "to read",
            firstStep: { act: "allow", label: "Create token" },
            cancel: (
              <a class="button" href="/agents">
                Cancel
              </a>
            ),
          })}
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
      {renderCopyStatus()}
      {renderCopyLine(view.token, "Copy the token")}
      <p>
        Send it as <code>Authorization: Bearer …</code> to this address:
      </p>
      {renderCopyLine(view.mcpUrl, "Copy the address")}
      <h2>Set up your agent</h2>
      {renderSetupGuides(view.ways)}
      <p class="soft">
        Anyone who can read these files has the token. <a href={`/agents/${view.id}`}>View or revoke its access</a>
      </p>
    </>,
    { ...buildPageOptions(view), scripts: ["/assets/agents.js"] },
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
