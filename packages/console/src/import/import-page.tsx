import { commandName } from "@pdpp/agent-setup/command-name";
import type { ImportSummary } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderCsrfField, renderLetterMark, renderPage } from "../frame/frame.tsx";
import { renderTable } from "../frame/render/parts.tsx";
import { renderAgo } from "../frame/render/times.tsx";
import { formatBytes, formatNumber, renderLabels } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { type DiskAccess, explainDiskAccess } from "./disk-access.ts";
import type { ImportFormat } from "./import-service.ts";

export interface ImportView {
  /** Missing on servers that don't accept uploads. */
  readonly place:
    | {
        readonly formats: readonly ImportFormat[];
        readonly mostBytes: number;
        readonly disk: DiskAccess;
        readonly underWay: { readonly id: string; readonly isWaiting: boolean } | undefined;
      }
    | undefined;
  readonly history: { readonly imports: readonly ImportSummary[]; readonly next: string | null };
  readonly isFirst: boolean;
  readonly viewer: Viewer;
  readonly now: number;
}

export const renderImportPage = (view: ImportView): Html =>
  renderPage(
    "Import",
    <>
      <h1>Import data</h1>
      <p>
        Choose an export of your mail, calendar, chats, photos, notes or bank: a file, an archive, or the parts of one.
        You review it before anything is saved.
      </p>
      {renderStart(view)}
      {view.place !== undefined && renderFormats(view.place.formats)}
      {renderHistory(view)}
    </>,
    { owner: { room: "/sources", viewer: view.viewer }, isWide: true, scripts: ["/assets/import.js"] },
  );

function renderStart({ place, viewer }: ImportView): Html {
  if (place === undefined)
    return (
      <section class="card">
        <h2>Import on the vault's computer</h2>
        <p>This server doesn't accept uploads. Run this command there; it asks before saving anything:</p>
        <p>
          <code class="copy">{commandName} import FILE</code>
        </p>
      </section>
    );
  if (place.underWay !== undefined) return renderInProgress(place.underWay, viewer);
  return (
    <>
      <form
        class="drop"
        method="post"
        action="/import/upload"
        enctype="multipart/form-data"
        data-upload=""
        data-max-bytes={place.mostBytes}
      >
        {renderCsrfField(viewer)}
        <label for="files">
          <strong>Drop files here</strong>
          <span>or choose files, up to {formatBytes(place.mostBytes)} in total</span>
        </label>{" "}
        <input type="file" id="files" name="files" multiple required />
        <div class="buttons">
          <button class="yes">Preview import</button>
        </div>
        <progress hidden max="1" value="0" aria-label="Upload progress"></progress>
        <p role="status" class="soft"></p>
      </form>
      {renderPathForm(place.disk, viewer)}
    </>
  );
}

/** Lists the formats, and how to get each export. */
const renderFormats = (formats: readonly ImportFormat[]): Html => (
  <>
    <h2>Where to get your data</h2>
    <p class="soft">Choose an app or a kind of file to see how to export it.</p>
    <ul class="formats">
      {formats.map(({ title, guide, isProven }) => (
        <li>
          <details>
            <summary>
              {renderLetterMark(title, "small")}
              <span>{title}</span>
            </summary>
            <p>{guide}</p>
            {!isProven && <p class="soft">Not yet tested with a real export.</p>}
          </details>
        </li>
      ))}
    </ul>
    <p class="soft">
      Tables such as CSV files from other apps can be imported with <code>{commandName} import FILE --infer</code>.
    </p>
  </>
);

/** Only one import runs at a time; a waiting plan can be discarded here. */
function renderInProgress(
  { id, isWaiting }: { readonly id: string; readonly isWaiting: boolean },
  viewer: Viewer,
): Html {
  const look = <a href={`/import/${id}`}>View it</a>;
  if (!isWaiting)
    return (
      <p class="done" role="status">
        An import is in progress. {look}
      </p>
    );
  return (
    <form class="done line" method="post" action={`/import/${id}/cancel`}>
      {renderCsrfField(viewer)}
      <input type="hidden" name="from" value="list" />
      <span role="status">An import is waiting for your review. Nothing has been saved yet. {look}</span>{" "}
      <button>Discard</button>
    </form>
  );
}

function renderPathForm(disk: DiskAccess, viewer: Viewer): Html {
  if (disk === "open")
    return (
      <form class="line path" method="post" action="/import/path">
        {renderCsrfField(viewer)}
        <label>
          Or import from a path on this computer (no upload){" "}
          <input
            type="text"
            name="path"
            required
            maxlength={4000}
            size={44}
            placeholder="~/Downloads/takeout.zip"
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <button>Preview import</button>
      </form>
    );
  return (
    <p class="soft">
      {explainDiskAccess(disk)} For large files, or files already on the server, run{" "}
      <code>{commandName} import FILE</code>.
    </p>
  );
}

function renderHistory({ history: { imports, next }, isFirst, now }: ImportView): Html {
  if (imports.length === 0)
    return (
      <>
        <h2>Previous imports</h2>
        <p>None yet.</p>
      </>
    );
  const renderRow = (each: ImportSummary): Html => (
    <tr>
      <th scope="row">
        <a href={`/import/${each.import_id}`}>{renderLabels(each.labels, each.parts)}</a>{" "}
        {each.finished_at === null && <span class="here">unfinished</span>}
      </th>
      <td data-label="Date">{renderAgo(parseInstant(each.started_at) ?? 0, now)}</td>
      <td class="number" data-label="New">
        {formatNumber(each.stored)}
        <span class="unit"> new</span>
      </td>
      <td class="number" data-label="Changed">
        {formatNumber(each.changed)}
        <span class="unit"> changed</span>
      </td>
      <td class="number" data-label="Rejected">
        {each.aside === 0 ? <>0</> : <a href={`/import/${each.import_id}#aside`}>{formatNumber(each.aside)}</a>}
        <span class="unit"> rejected</span>
      </td>
    </tr>
  );
  return (
    <>
      <h2>Previous imports</h2>
      {renderTable(
        {
          label: "Imports",
          className: "imports",
          columns: ["Data", "Date", { number: "New" }, { number: "Changed" }, { number: "Rejected" }],
        },
        <tbody>{imports.map(renderRow)}</tbody>,
      )}
      <p class="pages">
        {!isFirst && <a href="/import">Newest</a>}
        {next !== null && (
          <a rel="next" href={buildUrl("/import", { before: next })}>
            Older
          </a>
        )}
      </p>
    </>
  );
}
