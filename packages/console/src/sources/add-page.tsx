import { commandName } from "@pdpp/agent-setup/command-name";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderBackLink } from "../frame/render/parts.tsx";
import { asSentence } from "../frame/render/sentences.ts";
import { renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { type DiskAccess, explainDiskAccess } from "../import/disk-access.ts";
import { isBasic, renderFields } from "./fields.tsx";
import type { NewSource, SourceForm } from "./source-service.ts";

/** Adds a source: what kind, then what its connector asks for. */

export interface AddView {
  readonly kinds: readonly SourceForm[];
  /** Whether folders of the server's disk can be watched. */
  readonly disk: DiskAccess;
  readonly chosen: SourceForm | undefined;
  readonly given: NewSource;
  readonly fault: string | undefined;
  readonly viewer: Viewer;
}

export const renderAddPage = (view: AddView): Html =>
  renderPage(
    "Add a source",
    <>
      {renderBackLink("/sources", "Sources")}
      <h1>Add a source</h1>
      <p>A source keeps itself up to date. To add data once, import a file instead.</p>
      {view.kinds.length > 0 && (
        <ul class="kinds">
          {view.kinds.map((kind) => (
            <li>
              <a
                href={buildUrl("/sources/add", { kind: kind.key })}
                aria-current={kind === view.chosen ? "page" : undefined}
              >
                {renderLetterMark(kind.title, "small")}
                <span>{renderText(kind.title)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      {view.chosen !== undefined && renderForm(view.chosen, view)}
      <section>
        <h2>{view.kinds.length === 0 ? "On the command line" : "Other sources"}</h2>
        {view.disk !== "open" && (
          <p>
            {explainDiskAccess(view.disk)} To watch a folder, run{" "}
            <code class="copy">{commandName} source add folder PATH</code>
          </p>
        )}
        <p>
          Connectors from other people are added on the vault's computer, where you see what they ask for before they
          run:
        </p>
        <p>
          <code class="copy">{commandName} source add connector FILE</code>
        </p>
        <p>Phones and scripts send their records to an address of their own:</p>
        <p>
          <code class="copy">{commandName} source add push --kind location</code>
        </p>
      </section>
    </>,
    { owner: { room: "/sources", viewer: view.viewer } },
  );

const renderForm = (kind: SourceForm, { given, fault, viewer }: AddView): Html => (
  <section class="card" aria-labelledby="kind-title">
    <h2 id="kind-title">{renderText(kind.title)}</h2>
    {fault !== undefined && (
      <p class="attention" role="alert">
        {asSentence(fault)}
      </p>
    )}
    <form method="post" action="/sources/add" class="source-form">
      {renderCsrfField(viewer)}
      <input type="hidden" name="kind" value={kind.key} />
      {renderFields(kind.fields.filter(isBasic), given.values)}
      {kind.fields.some((field) => !isBasic(field)) && (
        <details open={fault !== undefined}>
          <summary>More options</summary>
          <div class="source-form">
            {renderFields(
              kind.fields.filter((field) => !isBasic(field)),
              given.values,
            )}
          </div>
        </details>
      )}
      <label class="field">
        <span>
          Name in your vault<span class="soft"> (optional)</span>
        </span>
        <input type="text" name="label" value={given.label} maxlength={200} autocomplete="off" dir="auto" />
      </label>
      {kind.note !== undefined && <p>{renderText(kind.note)}</p>}
      <p class="soft">
        {kind.fields.some(({ isSecret }) => isSecret) && "Passwords are stored encrypted and never shown again. "}
        No agent can read it until you share it.
      </p>
      <div class="buttons">
        <a class="button" href="/sources">
          Cancel
        </a>
        <button class="yes">Add and collect</button>
      </div>
    </form>
  </section>
);
