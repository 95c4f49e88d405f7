import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import type { Grant } from "@pdpp/contract/grant";
import { restrictDeclaration } from "@pdpp/contract/granted-declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { AccessDocument, GrantDocument, OwnerCatalog } from "@pdpp/contract/owner";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Html, ImpersonatedGrant } from "../frame/frame.tsx";
import { createNames, loadNames, type Names } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { findAction } from "../settings/confirmations.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { renderAccessHistory } from "./record/access-history.tsx";
import type { OtherAgent } from "./search/search-notes.tsx";
import type { ToolOutput } from "./tool-output.tsx";

/** Whose view of the vault a page shows: the owner's, or that of a grant, limited to its reader and its labels. */
export interface Viewpoint {
  readonly reader: ReadApi;
  readonly names: Names;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
  /** The owner's time zone, in which days begin and end. */
  readonly timeZone: string;
  /** Distinguishes owners and grants in caches. */
  readonly viewKey: string;
  /** The agent's tool output for that call; undefined from the owner's own viewpoint. */
  runTool(tool: string, args: Record<string, unknown>): Promise<ToolOutput | undefined>;
  /** Empty when impersonating. */
  renderReaders(place: RecordHandle, before: number | undefined): Promise<Html>;
  /** The owner's action with that log entry, for a confirmation; none when impersonating. */
  findAction(did: string | undefined, prefix: string): Promise<AccessDocument | undefined>;
  /** Agents that the owner can impersonate. */
  listOthers(): Promise<readonly OtherAgent[]>;
}

export async function createOwnerViewpoint({ getOwner, now }: ConsoleParts, session: OwnerSession): Promise<Viewpoint> {
  const owner = getOwner(session);
  return {
    reader: await owner.reader(),
    names: await loadNames(owner),
    impersonatedGrant: undefined,
    timeZone: (await owner.self()).time_zone,
    viewKey: String(session.ownerNo),
    runTool: async () => undefined,
    renderReaders: (place, before) => renderAccessHistory(owner, place, before, now()),
    findAction: (did, prefix) => findAction(owner, did, prefix),
    listOthers: async () => listActiveAgents(await owner.grants.list()),
  };
}

/** A package counts as one agent. */
function listActiveAgents(grants: readonly GrantDocument[]): OtherAgent[] {
  const others = new Map<string, OtherAgent>();
  for (const { status, package_id, grant_id, client } of grants) {
    const id = package_id ?? grant_id;
    if (status === "active") others.set(id, { id, client: isolateLabel(client.name) });
  }
  return [...others.values()];
}

export const impersonationPattern = "/as/:grant";

export async function createImpersonatedViewpoint(
  parts: ConsoleParts,
  session: OwnerSession,
  id: string,
  origin: string,
): Promise<Viewpoint> {
  const owner = parts.getOwner(session);
  const held = await owner.grants.get(id);
  const all = held.object === "grant" ? [held] : held.grants;
  const active = all.filter(({ status }) => status === "active");
  const reader = await owner.grants.reader(id);
  return {
    reader,
    names: createNames(limitCatalog(await owner.catalog(), active)),
    impersonatedGrant: { id, client: isolateLabel(all[0]?.client.name ?? id), isActive: active.length > 0 },
    timeZone: (await owner.self()).time_zone,
    viewKey: `${session.ownerNo} ${id}`,
    runTool: async (tool, args) => ({ tool, args, ...(await parts.runTool(reader, tool, args, origin)) }),
    renderReaders: async () => <></>,
    findAction: async () => undefined,
    listOthers: async () => [],
  };
}

/**
 * Limits declarations to the sources, streams and fields of the grants. Each source has its own: a package may grant
 * more of one account than of another.
 */
function limitCatalog({ connectors, connections }: OwnerCatalog, grants: readonly Grant[]): OwnerCatalog {
  const cut = new Map<string, ConnectorDeclaration>();
  const shown = connections.flatMap((connection) => {
    const declared = connectors.get(connection.connectorKey);
    const granted = grants
      .filter(({ connector_key }) => connector_key === connection.connectorKey)
      .flatMap(({ streams }) => streams.filter(({ connection_ids }) => connection_ids.includes(connection.id)));
    if (declared === undefined || granted.length === 0) return [];
    const streams = declared.streams.flatMap((stream) =>
      granted
        .filter(({ name }) => name === stream.name)
        .map(({ fields }) => restrictDeclaration(stream, new Set(fields))),
    );
    cut.set(connection.id, { ...declared, streams });
    return [{ ...connection, connectorKey: connection.id }];
  });
  return { connectors: cut, connections: shown };
}
