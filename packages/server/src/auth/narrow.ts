import { PdppError } from "@pdpp/contract/errors";
import type { Grant, GrantedStream, NarrowRequest } from "@pdpp/contract/grant";
import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import { insertGrant, moveTokens, replaceGrant, shortenTokens } from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import type { Store } from "../store/store.ts";
import { freezeGrants, listConnectionIds } from "./issue.ts";
import { createId } from "./tokens.ts";

/**
 * Replaces grants with new ones that allow less. The tokens of a package refer to the package and stay valid; the token
 * of a single grant is moved to the new one. Clients keep their tokens and see less from the next request on.
 */

const createNarrowError = (message: string): PdppError => new PdppError("invalid_grant_request", message);

export async function narrowGrants(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  held: readonly Grant[],
  request: NarrowRequest,
  now: number,
): Promise<Grant[]> {
  const [first] = held;
  if (first === undefined)
    throw createNarrowError("the grant has ended and cannot be changed; the agent has to ask again");
  const packageId = first.package_id;
  if (packageId === undefined && (request.sources?.length ?? 1) > 1)
    throw createNarrowError("a grant covers one source; to add sources, the agent has to ask again");
  const asked = request.expires_at === undefined ? undefined : parseEnd(request.expires_at, now);
  const fresh = (await buildContainedGrants(store, on, ownerNo, held, request, now)).map(({ old, grant }) => ({
    old,
    ...limitEnd(old, grant, asked, now),
  }));
  // A concurrent revocation waits here, or has already happened.
  for (const { grant_id } of held) {
    if (!(await replaceGrant(on, ownerNo, grant_id, now)))
      throw createNarrowError("the grant was changed or ended in the meantime; reload it and try again");
  }
  for (const { grant, expiresAt } of fresh) await insertGrant(on, ownerNo, grant, now, expiresAt);
  for (const { old, grant } of fresh)
    if (packageId === undefined) await moveTokens(on, ownerNo, old.grant_id, grant.grant_id);
  const ends = fresh.map(({ expiresAt }) => expiresAt).filter((end) => end !== null);
  if (ends.length === fresh.length)
    for (const id of packageId === undefined ? fresh.map(({ grant }) => grant.grant_id) : [packageId])
      await shortenTokens(on, ownerNo, id, Math.max(...ends));
  const grants = fresh.map(({ grant }) => grant);
  await logOwnerAction(on, {
    ownerNo,
    at: now,
    operation: "grant.narrow",
    subject: first.client.name,
    grantIds: [...grants, ...held].map(({ grant_id }) => grant_id),
    connectionIds: listConnectionIds(grants),
  });
  // Restoring an older vault must not revive the replaced grants. Nothing after this can fail.
  for (const { grant_id } of held) await store.noteRevoked(ownerNo, grant_id, now);
  return grants;
}

interface Contained {
  readonly old: Grant;
  readonly grant: Grant;
}

async function buildContainedGrants(
  store: Store,
  on: WriteTransaction,
  ownerNo: number,
  held: readonly Grant[],
  { sources }: NarrowRequest,
  now: number,
): Promise<Contained[]> {
  if (sources === undefined)
    return held.map((old) => ({
      old,
      grant: { ...old, grant_id: createId("grt"), issued_at: formatInstant(now), replaces: old.grant_id },
    }));
  const [first] = held;
  if (first === undefined || sources.length === 0)
    throw createNarrowError("the grant would be empty; revoke it instead");
  const { client, purpose, access_mode, package_id } = first;
  const request = {
    client,
    ...(purpose === undefined ? {} : { purpose }),
    ...(access_mode === undefined ? {} : { access_mode }),
    sources: [...sources],
  };
  const { grants } = await freezeGrants(store, on, ownerNo, request, package_id, now);
  return grants.map((grant) => {
    const excesses = held.map((old) => ({ old, excess: findExcess(old, grant) }));
    const within = excesses.find(({ excess }) => excess === undefined);
    if (within === undefined) {
      const nearest = excesses.find(({ old }) => old.connector_key === grant.connector_key);
      throw createNarrowError(
        `this would allow more than the grant does: ${nearest?.excess ?? `connector ${grant.connector_key}`}; for more, the agent has to ask again`,
      );
    }
    const { old } = within;
    const purpose = old.purpose_code === undefined ? {} : { purpose_code: old.purpose_code };
    return { old, grant: { ...grant, ...purpose, replaces: old.grant_id } };
  });
}

/** Names something that a grant allows and another does not, or undefined. */
function findExcess(old: Grant, fresh: Grant): string | undefined {
  if (old.connector_key !== fresh.connector_key) return `connector ${fresh.connector_key}`;
  for (const stream of fresh.streams) {
    const held = old.streams.find(({ name }) => name === stream.name);
    const excess = held === undefined ? "which it does not include" : findStreamExcess(held, stream);
    if (excess !== undefined) return `stream ${stream.name}, ${excess}`;
  }
  return undefined;
}

function findStreamExcess(old: GrantedStream, fresh: GrantedStream): string | undefined {
  const connection = fresh.connection_ids.find((id) => !old.connection_ids.includes(id));
  if (connection !== undefined) return `connection ${connection}`;
  const field = fresh.fields.find((name) => !old.fields.includes(name));
  if (field !== undefined) return `field ${field}`;
  if (old.resources !== undefined) {
    const named = new Set(old.resources);
    if (fresh.resources === undefined || fresh.resources.some((key) => !named.has(key)))
      return "records that it does not name";
  }
  return findTimeExcess(old.time_constraint, fresh.time_constraint);
}

type Time = GrantedStream["time_constraint"];

function findTimeExcess(old: Time, fresh: Time): string | undefined {
  if (old === undefined) return undefined;
  // Bounds on different fields cannot be compared.
  if (fresh === undefined || fresh.field !== old.field) return `not limited by ${old.field}`;
  if (old.since !== undefined && !(parseMoment(fresh.since) >= parseMoment(old.since)))
    return `from before ${old.since}`;
  if (old.until !== undefined && !(parseMoment(fresh.until) <= parseMoment(old.until)))
    return `from after ${old.until}`;
  return undefined;
}

/** NaN without a bound, so that every comparison fails. */
const parseMoment = (text: string | undefined): number =>
  (text === undefined ? null : parseInstant(text)) ?? Number.NaN;

function parseEnd(text: string, now: number): number {
  const end = parseInstant(text);
  if (end === null) throw createNarrowError(`expires_at is not a date or date-time: ${JSON.stringify(text)}`);
  if (end <= now) throw createNarrowError("expires_at is in the past; to end it now, revoke it");
  return end;
}

function limitEnd(
  old: Grant,
  { expires_at: _, ...grant }: Grant,
  asked: number | undefined,
  now: number,
): { readonly grant: Grant; readonly expiresAt: number | null } {
  const before = old.expires_at === undefined ? null : parseInstant(old.expires_at);
  if (asked !== undefined && before !== null && asked > before)
    throw createNarrowError(
      `it would end later than before (${old.expires_at}); for more time, the agent has to ask again`,
    );
  const expiresAt = asked ?? before;
  if (expiresAt !== null && expiresAt <= now)
    throw createNarrowError("the grant has ended; the agent has to ask again");
  return { grant: { ...grant, ...(expiresAt === null ? {} : { expires_at: formatInstant(expiresAt) }) }, expiresAt };
}
