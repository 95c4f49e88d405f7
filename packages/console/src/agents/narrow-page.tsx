import type { AccessChange } from "@pdpp/consent/access";
import type { Agent } from "@pdpp/consent/agents";
import type { Choice } from "@pdpp/consent/choice";
import type { Offer } from "@pdpp/consent/offer";
import type { Preview } from "@pdpp/consent/preview";
import { formatInstant } from "@pdpp/contract/instant";
import { renderCurrentSources, renderFormTools, renderTimeLimits } from "../consent/choice-form.tsx";
import { renderChanges, renderPreview } from "../consent/preview.tsx";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderAlert, renderBackLink } from "../frame/render/parts.tsx";
import { renderDay } from "../frame/render/times.tsx";
import { renderText } from "../frame/render/values.tsx";
import type { PageContext } from "./agent-rows.tsx";
import { buildPageOptions } from "./agents-page.tsx";

/** The consent form, showing an agent's current access for the owner to reduce. */

export interface NarrowView extends PageContext {
  readonly agent: Agent;
  readonly offer: Offer;
  readonly choice: Choice;
  /** An earlier end date, or empty. */
  readonly until: string;
  readonly revision: string;
  readonly notice: string | undefined;
  readonly preview: Preview | undefined;
  readonly changes: readonly AccessChange[];
}

export function renderNarrowPage(view: NarrowView): Html {
  const { agent, offer, choice, preview } = view;
  const action = `/agents/${agent.id}/narrow`;
  return renderPage(
    `Reduce access: ${agent.client}`,
    <>
      {renderBackLink(`/agents/${agent.id}`, renderText(agent.client))}
      <div class="title">
        {renderLetterMark(agent.client)}
        <h1>Reduce access for {renderText(agent.client)}</h1>
      </div>
      <p>
        Clear what it should no longer read. It stays connected, and the change applies from its next request. Data it
        has already read can't be taken back.
      </p>
      {renderAlert(view.notice)}
      <form class="consent" method="post" action={action}>
        <input type="hidden" name="revision" value={view.revision} />
        {renderCsrfField(view.viewer)}
        <input type="hidden" name="by_field" value={choice.byField ? "yes" : "no"} />
        {renderCurrentSources(offer, choice)}
        {renderTimeLimits(offer, choice, renderEndDateField(view))}
        {renderFormTools(action, choice)}
        {preview !== undefined && renderPreview(preview, renderChanges("Changes", view.changes))}
        <div class="buttons decide">
          <a class="button" href={`/agents/${agent.id}`}>
            Cancel
          </a>{" "}
          <button class="yes" name="act" value="narrow">
            Save changes
          </button>
        </div>
      </form>
      <p class="soft">To give more access, have the agent ask again.</p>
    </>,
    buildPageOptions(view),
  );
}

const renderEndDateField = ({ agent, until, now }: NarrowView): Html => {
  const formatDay = (at: number): string => formatInstant(at).slice(0, 10);
  return (
    <>
      <label>
        Access ends on{" "}
        <input
          type="date"
          name="until"
          value={until}
          min={formatDay(now + 86_400_000)}
          max={agent.until === undefined ? undefined : formatDay(agent.until)}
        />
      </label>{" "}
      <span class="soft">
        at 00:00 UTC. Leave empty to keep the current end
        {agent.until === undefined ? " (until you revoke it)" : <> ({renderDay(agent.until)})</>}.
      </span>
    </>
  );
};
