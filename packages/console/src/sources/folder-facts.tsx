import type { ImportedConnection, SourceDocument } from "@pdpp/contract/sources";
import { buildUrl } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.tsx";
import type { Names } from "../frame/names.ts";
import { renderTerm } from "../frame/render/parts.tsx";
import { formatCount, formatNumber, renderText } from "../frame/render/values.tsx";

/** A watched folder: where it is, and what its runs imported. */

/** Undefined for other sources. */
export const getFolderPath = ({ kind, settings }: SourceDocument): string | undefined =>
  kind === "folder" && typeof settings.path === "string" ? settings.path : undefined;

export function renderFolderFacts(source: SourceDocument): Html {
  const path = getFolderPath(source);
  if (path === undefined) return <></>;
  const isDeleting = source.settings.absent === "delete";
  return (
    <>
      {renderTerm("Folder", <code>{renderText(path)}</code>)}
      {renderTerm("Removed files", isDeleting ? "Their notes and contacts are deleted here too" : "Their records stay")}
    </>
  );
}

export const renderImported = (
  { connection_id, files, unchanged_files: unchanged }: ImportedConnection,
  names: Names,
): Html => (
  <li>
    <a href={buildUrl("/settings/source", { id: connection_id })}>{renderText(names.source(connection_id))}</a>:{" "}
    {formatCount(files, "file")}
    {unchanged > 0 && <>, {formatNumber(unchanged)} unchanged</>}
  </li>
);
