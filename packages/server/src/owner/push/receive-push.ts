import { PdppError } from "@pdpp/contract/errors";
import type { Output } from "@pdpp/contract/operations";
import type { Push } from "@pdpp/contract/sources";
import type { IngestReport, PushReport } from "@pdpp/contract/wire";
import { readLocations } from "@pdpp/importers/locations/phone-locations";
import { ingest } from "../../ingest/ingest.ts";
import type { Connection } from "../../store/catalog/connections.ts";
import { parseJson } from "../../store/engine/json.ts";
import { listSources, updateLastSuccess } from "../../store/sources/sources.ts";
import type { OwnerContext } from "../owner-context.ts";
import { loadConnectionsAndCatalog, selectConnection } from "../select-connection.ts";
import { type PushContent, type PushedLine, type RefusedPush, readPushedRecords } from "./pushed-records.ts";

type PushAnswer = Output<"push">;

/** The kind of content that a push source accepts. */
type PushKind = "location" | "records";

export async function receivePush(context: OwnerContext, connectionId: string, push: Push): Promise<PushAnswer> {
  const { store, ownerNo, now, connectionIds } = context;
  const { held, catalog } = await loadConnectionsAndCatalog(store, ownerNo, connectionIds);
  const connection = selectConnection(held, catalog, { connection_id: connectionId });
  const { sourceId, accepts } = await findPushSource(context, connection);
  const { lines, rejections, reply } =
    accepts === "location" ? readSentLocations(push) : readPushedRecords(push.body, catalog, connection);
  const report: Report = { connectionId, accepted: 0, unchanged: 0, rejections: [...rejections] };
  for (const [stream, some] of Map.groupBy(lines, (line) => line.stream))
    addReport(report, some, await storeLines(context, connection, stream, some));
  report.rejections.sort((a, b) => a.input_index - b.input_index);
  const [first] = report.rejections;
  // An app repeats what was refused for ever. If there is more in the same message, it must not wait for that.
  if (first !== undefined && report.accepted === 0)
    throw new PdppError("invalid_request", `${first.reason}; nothing was stored`, { param: "body" });
  if (report.accepted > 0) await store.engine.write((on) => updateLastSuccess(on, ownerNo, sourceId, now()));
  return reply ?? describeReport(report);
}

async function findPushSource(
  { store, ownerNo }: OwnerContext,
  connection: Connection,
): Promise<{ readonly sourceId: string; readonly accepts: PushKind }> {
  const sources = await store.engine.read((on) => listSources(on, ownerNo));
  const source = sources.find(({ kind, connectionNo }) => kind === "push" && connectionNo === connection.no);
  if (source === undefined)
    throw new PdppError("not_found", `connection ${connection.id} has no push source`, {
      next_step: "add one with pdpp source add push",
    });
  if (source.pausedAt !== null)
    throw new PdppError("permission_error", `source ${source.sourceId} is paused`, {
      next_step: `resume it with pdpp source resume ${source.sourceId}`,
    });
  return { sourceId: source.sourceId, accepts: source.settings.accepts === "location" ? "location" : "records" };
}

interface Report {
  readonly connectionId: string;
  accepted: number;
  unchanged: number;
  readonly rejections: RefusedPush[];
}

function readSentLocations({ location, contentType, body }: Push): PushContent {
  const value =
    location ?? (isForm(contentType, body) ? Object.fromEntries(new URLSearchParams(body)) : parseBody(body));
  const sent = readLocations(value);
  if (sent === undefined)
    throw new PdppError(
      "invalid_request",
      "expected a location of OwnTracks, Overland, or with lat, lon and time, as JSON, form or query",
      { param: "body" },
    );
  const { points, rejections, reply } = sent;
  return {
    lines: points.map((data, index) => ({ stream: "points", index, text: JSON.stringify({ data }) })),
    rejections: rejections.map((reason, index) => ({ input_index: index, code: "invalid_location", reason })),
    ...(reply !== undefined && { reply }),
  };
}

/** curl labels everything a form, unless it is told otherwise. */
const isForm = (contentType: string, body: string): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(contentType) && !/^\s*[[{]/.test(body);

function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    throw new PdppError("invalid_request", "the body is not JSON", { param: "body" });
  }
}

async function storeLines(
  { store, ownerNo, now }: OwnerContext,
  connection: Connection,
  stream: string,
  lines: readonly PushedLine[],
): Promise<IngestReport> {
  async function* write(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines.map(({ text }) => text).join("\n"));
  }
  return ingest(store, { ownerNo, connection, stream }, write(), { now });
}

function addReport(report: Report, lines: readonly PushedLine[], stored: IngestReport): void {
  report.accepted += stored.records_accepted;
  report.unchanged += stored.records_unchanged;
  for (const { input_index, code, reason } of stored.rejections)
    report.rejections.push({ input_index: lines[input_index]?.index ?? 0, code, reason });
}

const describeReport = ({ connectionId, accepted, unchanged, rejections }: Report): PushReport => ({
  object: "push",
  connection_id: connectionId,
  records_accepted: accepted,
  records_unchanged: unchanged,
  records_rejected: rejections.length,
  rejections,
});
