import type { ConnectionDetail, FileCount } from "@pdpp/contract/owner";
import { buildUrl, getStreamUrl } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { joinHtml, renderBackLink, renderTerm } from "../frame/render/parts.tsx";
import { formatMonth } from "../frame/render/times.tsx";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";
import type { TimeSpan } from "../frame/span.ts";
import type { Viewer } from "../frame/viewer.ts";
import { formatFileCount } from "./storage-part.tsx";

/** One source: rename or delete it. */

export interface SourceView {
  readonly source: ConnectionDetail;
  readonly files: FileCount;
  readonly span: TimeSpan;
  /** Agents that currently have access to it. */
  readonly agents: readonly { readonly id: string; readonly client: string }[];
  readonly names: Names;
  readonly viewer: Viewer;
  /** The typed name didn't match. */
  readonly isMistyped: boolean;
}

const buildPageOptions = ({ viewer }: SourceView) => ({ owner: { room: "/settings", viewer } }) as const;
const getDeleteUrl = (id: string): string => buildUrl("/settings/delete-source", { id });

export function renderSourcePage(view: SourceView): Html {
  const { source, names, viewer } = view;
  const { connection_id: id, connector_key } = source;
  const label = names.source(id);
  return renderPage(
    label,
    <>
      {renderBackLink("/settings#sources", "Settings")}
      <div class="title">
        {renderLetterMark(names.mark(id))}
        <h1>{renderText(label)}</h1>
      </div>
      {renderFacts(view)}
      <h2>Rename</h2>
      <form method="post" action="/settings/rename-source">
        {renderCsrfField(viewer)}
        <input type="hidden" name="id" value={id} />
        <div class="line">
          <label>
            Name
            <input type="text" name="name" value={label} required maxlength={200} autocomplete="off" dir="auto" />
          </label>
          <button>Save</button>
        </div>
      </form>
      <h2>Delete</h2>
      <p>Deletes all its records, with their history and files. You can review what will be deleted first.</p>
      <p>
        <a class="button danger" href={getDeleteUrl(id)}>
          Delete this source …
        </a>
      </p>
      <details>
        <summary>Technical details</summary>
        <dl>
          {renderTerm("ID", <code>{id}</code>)}
          {renderTerm("Source type", <code>{connector_key}</code>)}
        </dl>
      </details>
    </>,
    buildPageOptions(view),
  );
}

function renderFacts({ source, names, files, span }: SourceView): Html {
  const { connection_id: id, streams, record_count } = source;
  const held = streams.filter(({ record_count }) => record_count > 0);
  return (
    <dl class="facts">
      <div>
        <dt>Records</dt>
        <dd>
          {formatNumber(record_count)}
          {!(span.from === undefined || span.to === undefined) &&
            `, ${formatMonth(span.from)} – ${formatMonth(span.to)}`}
        </dd>
      </div>
      {held.length >= 2 &&
        held.map(({ name, record_count: count }) =>
          renderTerm(renderText(names.stream(id, name)), <a href={getStreamUrl(id, name)}>{formatNumber(count)}</a>),
        )}
      {renderTerm("Files", formatFileCount(files))}
    </dl>
  );
}

/** Says what will be deleted and what stays, and requires typing the name. */
export function renderDeleteSourcePage(view: SourceView): Html {
  const { source, names, agents, viewer, isMistyped } = view;
  const { connection_id: id, record_count } = source;
  const label = names.source(id);
  return renderPage(
    `Delete ${label}`,
    <>
      {renderBackLink(buildUrl("/settings/source", { id }), renderText(label))}
      <h1>Delete {renderText(label)}?</h1>
      <h2>What will be deleted</h2>
      {renderFacts(view)}
      <p>
        Their earlier versions, search index entries, files not used by other sources and saved searches limited to this
        source are deleted too.
      </p>
      {agents.length > 0 && (
        <p>
          {agents.length === 1 ? "One agent" : `${formatNumber(agents.length)} agents`} will lose access to this data:{" "}
          {joinHtml(agents.slice(0, maxNamed), ", ", ({ id: agent, client }) => (
            <a href={`/agents/${agent}`}>{renderText(client)}</a>
          ))}
          {agents.length > maxNamed && " …"}.
        </p>
      )}
      <h2>What is kept</h2>
      <ul>
        <li>The activity log, without what agents asked about this source.</li>
        <li>A history of who had access.</li>
        <li>Data agents have already read.</li>
        <li>Backups you made.</li>
      </ul>
      <form class="typed" method="post" action="/settings/delete-source">
        {renderCsrfField(viewer)}
        <input type="hidden" name="id" value={id} />
        {renderConfirmationField(
          "name",
          <>
            Type the source's name, <strong>{renderText(label)}</strong>
          </>,
          isMistyped,
          "That doesn't match the name.",
        )}
        <div class="buttons">
          <button class="danger">Delete {formatCount(record_count, "record")} </button>
          <a class="button" href="/settings#sources">
            Cancel
          </a>
        </div>
      </form>
      <p class="soft">This can't be undone.</p>
    </>,
    buildPageOptions(view),
  );
}

const maxNamed = 20;

export const renderConfirmationField = (name: string, label: Html, isMistyped: boolean, fault: string): Html => (
  <p>
    <label for={name}>{label}</label>
    <br />
    <input
      type="text"
      id={name}
      name={name}
      required
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      dir="auto"
      aria-invalid={isMistyped ? "true" : undefined}
      aria-describedby={isMistyped ? `${name}-fault` : undefined}
    />
    {isMistyped && (
      <>
        <br />
        <strong class="fault" id={`${name}-fault`} role="alert">
          {fault}
        </strong>
      </>
    )}
  </p>
);
