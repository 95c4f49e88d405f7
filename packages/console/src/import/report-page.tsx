import type { JsonObject } from "@pdpp/contract/declaration";
import type { ImportDocument, RejectedItemDocument } from "@pdpp/contract/imports";
import { parseInstant } from "@pdpp/contract/instant";
import { buildUrl, getStreamUrl, toAbsoluteUrl } from "../frame/addresses.ts";
import { type Html, renderPage } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderBackLink, renderTable, renderTerm } from "../frame/render/parts.tsx";
import { asSentence } from "../frame/render/sentences.ts";
import { renderAgo, renderDay } from "../frame/render/times.tsx";
import { formatBytes, formatCount, formatNumber, renderName, renderText } from "../frame/render/values.tsx";
import type { Viewer } from "../frame/viewer.ts";
import { findKindView } from "../views/kind-views.ts";
import { renderFiles, type UnrecognizedFiles } from "./unrecognized-files.tsx";

/** The report of an import: totals, source and rejected items with reasons. */

export interface ReportView {
  readonly found: ImportDocument;
  readonly aside: { readonly items: readonly RejectedItemDocument[]; readonly next: string | null };
  /** Unrecognized files; undefined when not known any more. */
  readonly left: UnrecognizedFiles | undefined;
  readonly isFirst: boolean;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly now: number;
}

type Part = ImportDocument["parts"][number];

const maxParts = 50;
const maxFiles = 10;

export function renderReportPage(view: ReportView): Html {
  const { found, viewer, now } = view;
  const more = found.parts.length - maxParts;
  const isOver = found.finished_at !== null;
  return renderPage(
    "Import",
    <>
      {renderBackLink("/import", "All imports")}
      <h1>{isOver ? "Import report" : "Import report (unfinished)"}</h1>
      <p class="soft">
        Started {renderAgo(parseInstant(found.started_at) ?? 0, now)}
        {!isOver && (
          <>
            {" "}
            · <span class="refused">unfinished: import the same files again to continue</span>
          </>
        )}
      </p>
      {found.parts.slice(0, maxParts).map((part) => renderPart(part, view.names))}
      {more > 0 && <p class="soft">and {formatCount(more, "more part")}</p>}
      {isOver && renderNextSteps(found, view.names)}
      {renderRejected(view)}
      {renderUnrecognized(view)}
      <p class="soft">
        Import <code>{found.import_id}</code>
      </p>
    </>,
    { owner: { room: "/sources", viewer }, isWide: true },
  );
}

/** Where to go from here: to the imported data in its own view, to agents, or to the next import. */
function renderNextSteps({ parts }: ImportDocument, names: Names): Html {
  const streams = parts.flatMap(({ connection_id: source, tally }) =>
    Object.keys(tally.streams).flatMap((stream) => {
      const view = findKindView(names, source, stream);
      const href = view?.getStreamUrl?.(source, stream);
      return view === undefined || href === undefined ? [] : [{ href, label: view.label, source }];
    }),
  );
  const looks = [...new Map(streams.map((each) => [`${each.label} ${each.source}`, each])).values()].slice(0, 4);
  return (
    <nav class="next-steps" aria-label="Next steps">
      {looks.map(({ href, label, source }) => (
        <a class="button" href={toAbsoluteUrl(href)}>
          {label}: {renderText(names.source(source))}
        </a>
      ))}
      <a class="button" href="/agents">
        Connect an agent
      </a>
      <a class="button" href="/import">
        Import more
      </a>
    </nav>
  );
}

/** Columns of the report; only those with a number are shown. */
const countColumns = [
  ["stored", "New"],
  ["changed", "Changed"],
  ["unchanged", "Unchanged"],
  ["skipped", "Skipped"],
  ["aside", "Rejected"],
] as const;

function renderPart(part: Part, names: Names): Html {
  const { connection_id: source, label, tally } = part;
  const streams = Object.entries(tally.streams);
  const columns = countColumns.filter(([of]) => of === "stored" || streams.some(([, each]) => each[of] > 0));
  const rows = streams.map(([stream, each]) => (
    <tr>
      <th scope="row">
        <a href={getStreamUrl(source, stream)}>{renderText(names.stream(source, stream))}</a>
      </th>
      {columns.map(([of]) => (
        <td class="number">{formatNumber(each[of])}</td>
      ))}
    </tr>
  ));
  return (
    <section class="part">
      <h2>{renderText(label)}</h2>
      <p class="soft">
        into {renderText(names.source(source))}
        {tally.blobs !== 0 && <> · {formatCount(tally.blobs, "file")} saved</>}
      </p>
      {rows.length === 0 ? (
        <p>No records yet.</p>
      ) : (
        renderTable(
          { label: "Records", className: "tally", columns: ["Data", ...columns.map(([, number]) => ({ number }))] },
          <tbody>{rows}</tbody>,
        )
      )}
      {renderSource(part)}
    </section>
  );
}

function renderSource({ sources, fingerprint, format, importer_version, exported_at, answers }: Part): Html {
  const more = sources.length - maxFiles;
  return (
    <details>
      <summary>Import details</summary>
      <dl>
        {renderTerm(
          "Files",
          <>
            {sources.slice(0, maxFiles).map(({ path, size_bytes }) => (
              <>
                {renderName(path, 300)} <span class="soft">{formatBytes(size_bytes)}</span>
                <br />
              </>
            ))}
            {more > 0 && <span class="soft">and {more >= 90 ? "many" : more} more</span>}
          </>,
        )}
        {renderTerm("Exported", renderDay(parseInstant(exported_at) ?? 0))}
        {renderTerm(
          "Format",
          <>
            {format}, importer {importer_version}
          </>,
        )}
        {renderTerm("Fingerprint", <code>{fingerprint}</code>)}
        {listAnswers(answers).map(([name, value]) => renderTerm(name, renderText(value)))}
      </dl>
    </details>
  );
}

const answerLabels: Readonly<Record<string, string>> = {
  time_zone: "Time zone",
  date_order: "Date format",
  me: "Your name in the export",
  attachments: "Attachments",
  only: "Streams",
};

function listAnswers(answers: JsonObject): [string, string][] {
  return Object.entries(answers).flatMap(([key, value]): [string, string][] => {
    const isNone = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (isNone) return [];
    const text = key === "attachments" ? (value === true ? "imported" : "skipped") : [value].flat().join(", ");
    return [[answerLabels[key] ?? key, text.slice(0, 300).toWellFormed()]];
  });
}

const renderUnrecognized = ({ left }: ReportView): Html =>
  left === undefined || left.notUnderstoodCount === 0 ? (
    <></>
  ) : (
    <>
      <h2 id="left">Unrecognized files: {formatNumber(left.notUnderstoodCount)}</h2>
      {renderFiles(left)}
    </>
  );

function renderRejected({ found, aside, left, isFirst }: ReportView): Html {
  const total = found.parts
    .flatMap(({ tally }) => Object.values(tally.streams))
    .reduce((sum, each) => sum + each.aside, 0);
  const all = left?.notUnderstoodCount === 0 ? "Everything was imported." : "All recognized items were imported.";
  if (total === 0)
    return (
      <>
        <h2 id="aside">Rejected items</h2>
        <p>None. {all}</p>
      </>
    );
  const renderItem = ({ kind, stream, path, offset, reason, code, beginning }: RejectedItemDocument): Html => (
    <li>
      <p>
        {renderText(asSentence(reason).slice(0, 500))} <code>{code}</code>
      </p>
      <p class="soft">
        {kind === "record" ? (
          <>A record in {renderText(stream)}</>
        ) : (
          <>
            {renderName(path, 300)}, at byte {formatNumber(offset)}
          </>
        )}
      </p>
      {beginning !== "" && (
        <details>
          <summary>Excerpt</summary>
          <pre dir="auto">{beginning}</pre>
        </details>
      )}
    </li>
  );
  const getPageUrl = (after?: string) => `${buildUrl(`/import/${found.import_id}`, { after })}#aside`;
  return (
    <>
      <h2 id="aside">Rejected items: {formatNumber(total)}</h2>
      <p class="soft">These couldn't be read. Everything else in their files was imported.</p>
      <ol class="aside">{aside.items.map(renderItem)}</ol>
      <p class="pages">
        {!isFirst && <a href={getPageUrl()}>First page</a>}
        {aside.next !== null && (
          <a rel="next" href={getPageUrl(aside.next)}>
            More
          </a>
        )}
      </p>
    </>
  );
}
