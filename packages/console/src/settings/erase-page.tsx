import { type Html, renderCsrfField, renderPage } from "../frame/frame.tsx";
import { renderBackLink } from "../frame/render/parts.tsx";
import { formatCount, formatNumber } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { renderConfirmationField } from "./source-page.tsx";

export interface EraseView {
  readonly records: number;
  readonly sources: number;
  readonly agents: number;
  readonly viewer: Viewer;
  readonly isMistyped: boolean;
}

export const eraseSentence = "delete everything";

export const renderErasePage = ({ records, sources, agents, viewer, isMistyped }: EraseView): Html =>
  renderPage(
    "Delete everything",
    <>
      {renderBackLink("/settings#everything", "Settings")}
      <h1>Delete everything?</h1>
      <h2>What will be deleted</h2>
      <ul>
        <li>
          {formatCount(records, "record")} from {sources === 1 ? "one source" : `${formatNumber(sources)} sources`},
          with their history and files.
        </li>
        <li>
          All access:{" "}
          {agents === 0
            ? "no agent is connected"
            : agents === 1
              ? "one agent is disconnected"
              : `${formatNumber(agents)} agents are disconnected`}
          . Your API tokens too.
        </li>
        <li>Your saved and recent searches. Other browsers keep their recent searches until you sign out there.</li>
      </ul>
      <h2>What is kept</h2>
      <ul>
        <li>Your sign-ins and passkeys.</li>
        <li>The activity log, without what agents asked.</li>
        <li>Data agents have already read.</li>
        <li>Backups you made.</li>
      </ul>
      <form class="typed" method="post" action="/settings/delete-everything">
        {renderCsrfField(viewer)}
        {renderConfirmationField(
          "sentence",
          <>
            Type <strong>{eraseSentence}</strong>
          </>,
          isMistyped,
          `Type exactly: ${eraseSentence}`,
        )}
        <div class="buttons">
          <button class="danger">Delete everything</button>
          <a class="button" href="/settings">
            Cancel
          </a>
        </div>
      </form>
      <p class="soft">
        This can't be undone. <a href="/settings#copies">Back up first</a>
      </p>
    </>,
    { owner: { room: "/settings", viewer } },
  );
