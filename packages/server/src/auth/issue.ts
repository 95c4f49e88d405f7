import { findField, type StreamDeclaration } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import type { Grant, GrantedStream, GrantRequest } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { IssuedGrant } from "@pdpp/contract/owner";
import { insertGrant, insertToken, type StoredToken, type TokenKind } from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { type Connection, listConnections } from "../store/catalog/connections.ts";
import type { ReadTransaction, WriteTransaction } from "../store/engine/engine.ts";
import { requireValue } from "../store/engine/require-value.ts";
import type { Store } from "../store/store.ts";
import { createId, createToken, hashToken } from "./tokens.ts";

/** Issues grants: checks a request against the declarations, and stores what it amounts to now. */

const maxConnections = 200;
const maxResources = 10_000;
const singleUseMs = 3_600_000;

const createRequestError = (message: string): PdppError => new PdppError("invalid_grant_request", message);

export async function issueGrant(
  store: Store,
  ownerNo: number,
  request: GrantRequest,
  now: number,
  token = createToken("client"),
): Promise<IssuedGrant> {
  const packageId = request.sources.length > 1 ? createId("pkg") : undefined;
  return store.engine.write(async (on) => {
    const { grants, expiresAt } = await insertGrants(store, on, ownerNo, request, packageId, now);
    await insertToken(on, hashToken(token), {
      tokenId: createId("tok"),
      ownerNo,
      kind: packageId === undefined ? "client" : "mcp_package",
      grantId: packageId === undefined ? requireValue(grants[0], "the grant of the token").grant_id : null,
      packageId: packageId ?? null,
      clientName: request.client.name,
      createdAt: now,
      expiresAt,
      may: null,
      connectionIds: null,
    });
    return {
      token,
      ...(packageId === undefined ? {} : { package_id: packageId }),
      grants: grants.map((grant) => ({
        grant_id: grant.grant_id,
        connector_key: grant.connector_key,
        connection_ids: listConnectionIds([grant]),
      })),
    };
  });
}

export const listConnectionIds = (grants: readonly Grant[]): string[] => [
  ...new Set(grants.flatMap(({ streams }) => streams.flatMap(({ connection_ids }) => connection_ids))),
];

/** A package of grants without a token: the authorization server issues tokens for it later. */
export async function issuePackage(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  request: GrantRequest,
  now: number,
): Promise<string> {
  const packageId = createId("pkg");
  await insertGrants(store, on, ownerNo, request, packageId, now);
  return packageId;
}

async function insertGrants(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  request: GrantRequest,
  packageId: string | undefined,
  now: number,
): Promise<{ grants: Grant[]; expiresAt: number | null }> {
  const { grants, expiresAt } = await freezeGrants(store, on, ownerNo, request, packageId, now);
  for (const grant of grants) await insertGrant(on, ownerNo, grant, now, expiresAt);
  await logOwnerAction(on, {
    ownerNo,
    at: now,
    operation: "grant.create",
    subject: request.client.name,
    grantIds: grants.map(({ grant_id }) => grant_id),
    connectionIds: listConnectionIds(grants),
  });
  return { grants, expiresAt };
}

export async function freezeGrants(
  store: Store,
  on: ReadTransaction,
  ownerNo: number,
  request: GrantRequest,
  packageId: string | undefined,
  now: number,
): Promise<{ grants: Grant[]; expiresAt: number | null }> {
  const said = request.expires_at === undefined ? null : parseTime(request.expires_at, "expires_at");
  if (said !== null && said <= now) throw createRequestError("expires_at is in the past");
  const expiresAt =
    request.access_mode === "single_use" ? Math.min(said ?? now + singleUseMs, now + singleUseMs) : said;
  const catalog = await store.catalog(on);
  const held = await listConnections(on, ownerNo);
  const clientId = request.client.client_id ?? createId("cli");
  const grants = request.sources.map(
    (source): Grant => ({
      grant_id: createId("grt"),
      ...(packageId === undefined ? {} : { package_id: packageId }),
      client: { client_id: clientId, name: request.client.name },
      connector_key: source.connector_key,
      declaration_version: getConnector(catalog, source.connector_key).declaration.version,
      ...(request.purpose === undefined ? {} : { purpose: request.purpose }),
      ...(source.purpose_code === undefined ? {} : { purpose_code: source.purpose_code }),
      ...(request.access_mode === undefined ? {} : { access_mode: request.access_mode }),
      streams: freezeStreams(source, catalog, held),
      issued_at: formatInstant(now),
      ...(expiresAt === null ? {} : { expires_at: formatInstant(expiresAt) }),
    }),
  );
  checkNoOverlap(grants);
  return { grants, expiresAt };
}

function getConnector(catalog: Catalog, key: string) {
  const connector = catalog.connectors.get(key);
  if (connector === undefined) {
    const known = [...catalog.connectors.keys()].join(", ") || "none yet";
    throw createRequestError(`there is no connector ${key}; registered: ${known}`);
  }
  return connector;
}

type Source = GrantRequest["sources"][number];
type StreamRequest = Source["streams"][number];

function freezeStreams(source: Source, catalog: Catalog, held: readonly Connection[]): GrantedStream[] {
  const { declaration } = getConnector(catalog, source.connector_key);
  const mine = held.filter((connection) => connection.connectorKey === source.connector_key).map(({ id }) => id);
  const asked = source.streams.flatMap((request) =>
    request.name === "*" ? declaration.streams.map(({ name }) => ({ ...request, name })) : [request],
  );
  const names = new Set<string>();
  return asked.map((request) => {
    if (names.has(request.name))
      throw createRequestError(`stream ${request.name} of ${source.connector_key} is named twice`);
    names.add(request.name);
    const stream = declaration.streams.find(({ name }) => name === request.name);
    if (stream === undefined) {
      const known = declaration.streams.map(({ name }) => name).join(", ");
      throw createRequestError(`connector ${source.connector_key} has no stream ${request.name}; it has: ${known}`);
    }
    return freezeStream(request, stream, source.connector_key, mine);
  });
}

function freezeStream(
  request: StreamRequest,
  stream: StreamDeclaration,
  connectorKey: string,
  mine: readonly string[],
): GrantedStream {
  const connectionIds = [...new Set(request.connection_ids ?? mine)];
  const foreign = connectionIds.find((id) => !mine.includes(id));
  if (foreign !== undefined) {
    throw createRequestError(
      `${foreign} is not a connection of ${connectorKey}; its connections: ${mine.join(", ") || "none yet"}`,
    );
  }
  if (connectionIds.length === 0)
    throw createRequestError(`${connectorKey} has no connection yet; add one with pdpp connection add`);
  if (connectionIds.length > maxConnections)
    throw createRequestError(`a grant holds at most ${maxConnections} connections of a stream`);
  const unknown = request.fields?.find((name) => findField(stream, name) === undefined);
  if (unknown !== undefined) {
    throw createRequestError(
      `stream ${stream.name} has no field ${unknown}; it has: ${stream.fields.map(({ name }) => name).join(", ")}`,
    );
  }
  if ((request.resources?.length ?? 0) > maxResources)
    throw createRequestError(`a grant names at most ${maxResources} records of a stream`);
  const time = parseTimeConstraint(request, stream);
  return {
    name: stream.name,
    connection_ids: connectionIds.sort(),
    fields: [...new Set(request.fields ?? stream.fields.map(({ name }) => name))],
    ...(time === undefined ? {} : { time_constraint: time }),
    ...(request.resources === undefined ? {} : { resources: [...new Set(request.resources)] }),
  };
}

function parseTimeConstraint(request: StreamRequest, stream: StreamDeclaration): GrantedStream["time_constraint"] {
  const { since, until } = request.time_range ?? {};
  if (since === undefined && until === undefined) return undefined;
  if (stream.consentTimeField === undefined) {
    throw createRequestError(
      `stream ${stream.name} declares no consent_time_field, so a grant cannot be limited in time`,
    );
  }
  const kind = findField(stream, stream.consentTimeField)?.kind;
  if (kind !== "date" && kind !== "date-time") {
    throw createRequestError(
      `${stream.consentTimeField} of stream ${stream.name} is a plain number, not a time, so a grant cannot be limited by it`,
    );
  }
  const from = since === undefined ? undefined : parseTime(since, "since");
  const to = until === undefined ? undefined : parseTime(until, "until");
  if (from !== undefined && to !== undefined && from >= to) throw createRequestError("since must be before until");
  return {
    field: stream.consentTimeField,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
}

function parseTime(text: string, name: string): number {
  const instant = parseInstant(text);
  if (instant === null) throw createRequestError(`${name} is not a date or date-time: ${JSON.stringify(text)}`);
  return instant;
}

/** Each record of a package belongs to one grant, so that it is clear which rules apply. */
function checkNoOverlap(grants: readonly Grant[]): void {
  const seen = new Set<string>();
  for (const { connector_key, streams } of grants) {
    for (const { name, connection_ids } of streams) {
      for (const id of connection_ids) {
        const place = JSON.stringify([connector_key, name, id]);
        if (seen.has(place))
          throw createRequestError(
            `stream ${name} of connection ${id} is in two sources of the package; put it into one`,
          );
        seen.add(place);
      }
    }
  }
}

export async function issueOwnerToken(
  store: Store,
  ownerNo: number,
  name: string,
  now: number,
  expiresAt: number | null,
  limits: Partial<Pick<StoredToken, "may" | "connectionIds">> = {},
): Promise<{ token: string; token_id: string }> {
  const token = createToken("owner");
  const tokenId = createId("tok");
  const kind: TokenKind = "owner";
  await store.engine.write(async (on) => {
    await insertToken(on, hashToken(token), {
      tokenId,
      ownerNo,
      kind,
      grantId: null,
      packageId: null,
      clientName: name,
      createdAt: now,
      expiresAt,
      may: limits.may ?? null,
      connectionIds: limits.connectionIds ?? null,
    });
    await logOwnerAction(on, {
      ownerNo,
      at: now,
      operation: "owner-token.create",
      subject: `${tokenId} ${name}`,
      connectionIds: limits.connectionIds ?? [],
    });
  });
  return { token, token_id: tokenId };
}
