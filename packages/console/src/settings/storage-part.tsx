import type { FileCount } from "@pdpp/contract/owner";
import { buildUrl } from "../frame/addresses.ts";
import { type Html, renderLetterMark } from "../frame/frame.tsx";
import { renderTable, renderTerm } from "../frame/render/parts.tsx";
import { formatBytes, formatNumber, renderText } from "../frame/render/values.tsx";
import type { SettingsView } from "./settings-page.tsx";

const maxSources = 200;

export const formatFileCount = ({ count, bytes, is_whole }: FileCount): string =>
  count === 0 ? "None" : `${is_whole ? "" : "more than "}${formatNumber(count)} (${formatBytes(bytes)})`;

const getSourceUrl = (id: string): string => buildUrl("/settings/source", { id });

export function renderStorage({ storage, connections, names }: SettingsView): Html {
  const { database_bytes: bytes, files } = storage;
  const byId = new Map(connections.map((connection) => [connection.connection_id, connection]));
  const shown = names.sources.flatMap(({ id }) => byId.get(id) ?? []).slice(0, maxSources);
  return (
    <>
      <dl class="facts">
        {bytes !== null && renderTerm("Database", formatBytes(bytes))}
        {renderTerm("Files", formatFileCount(files))}
      </dl>
      {shown.length === 0 ? (
        <p>
          No sources yet. <a href="/import">Import data</a>
        </p>
      ) : (
        <>
          {renderTable(
            { label: "Sources", className: "plain-table", columns: ["Source", { number: "Records" }] },
            <tbody>
              {shown.map(({ connection_id: id, record_count }) => (
                <tr>
                  <th scope="row">
                    <span class="named">
                      {renderLetterMark(names.mark(id), "small")}
                      <a href={getSourceUrl(id)}>{renderText(names.source(id))}</a>
                    </span>
                  </th>
                  <td class="number">{formatNumber(record_count)}</td>
                </tr>
              ))}
            </tbody>,
          )}
          <p class="soft">
            Open a source to rename or delete it.
            {connections.length > shown.length && ` ${formatNumber(connections.length - shown.length)} more not shown.`}
          </p>
        </>
      )}
    </>
  );
}
