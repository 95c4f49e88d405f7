import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import type { Grant } from "@pdpp/contract/grant";
import { restrictDeclaration } from "@pdpp/contract/granted-declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { GrantDocument, OwnerCatalog } from "@pdpp/contract/owner";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import type { RecordHandle } from "@pdpp/evidence/handles/handle";
import { html } from "hono/html";
import type { Html, Worn } from "../frame/frame.ts";
import { type Names, namesIn, namesOf } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import { readersSection } from "./readers.ts";
import type { Other } from "./search-notes.ts";
import type { Told } from "./told.ts";

/** From where somebody looks at the vault: as its owner, or through a grant, with that grant's reader and no name beyond it. */
export interface Stand {
  readonly reader: ReadApi;
  readonly names: Names;
  readonly worn: Worn | undefined;
  /** What an agent gets for that call; an owner's own look needs none. */
  told(tool: string, args: Record<string, unknown>): Promise<Told | undefined>;
  /** Who has read a record: for its owner alone. */
  readersOf(place: RecordHandle, before: number | undefined): Promise<Html>;
  /** Agents through which the owner could look instead. */
  others(): Promise<readonly Other[]>;
}

export async function ownStand({ ownerOf, now }: ConsoleParts, session: OwnerSession): Promise<Stand> {
  const owner = ownerOf(session);
  return {
    reader: await owner.reader(),
    names: await namesOf(owner),
    worn: undefined,
    told: async () => undefined,
    readersOf: (place, before) => readersSection(owner, place, before, now()),
    others: async () => activeIn(await owner.grants.list()),
  };
}

/** A package is worn as one. */
function activeIn(grants: readonly GrantDocument[]): Other[] {
  const others = new Map<string, Other>();
  for (const { status, package_id, grant_id, client } of grants) {
    const id = package_id ?? grant_id;
    if (status === "active") others.set(id, { id, client: client.name });
  }
  return [...others.values()];
}

export const wornPattern = "/as/:grant";

export async function wornStand(
  parts: ConsoleParts,
  session: OwnerSession,
  id: string,
  origin: string,
): Promise<Stand> {
  const owner = parts.ownerOf(session);
  const held = await owner.grants.get(id);
  const all = held.object === "grant" ? [held] : held.grants;
  const active = all.filter(({ status }) => status === "active");
  const reader = await owner.grants.reader(id);
  return {
    reader,
    names: namesIn(cutCatalog(await owner.catalog(), active)),
    worn: { id, client: all[0]?.client.name ?? id, isActive: active.length > 0 },
    told: async (tool, args) => ({ tool, args, ...(await parts.toolText(reader, tool, args, origin)) }),
    readersOf: async () => html``,
    others: async () => [],
  };
}

/** What is declared of the sources, streams and fields that grants have, and of no others. Each source has its own: a package may give more of one account than of another. */
function cutCatalog({ connectors, connections }: OwnerCatalog, grants: readonly Grant[]): OwnerCatalog {
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
