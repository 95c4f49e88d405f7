import { PdppError } from "@pdpp/contract/errors";
import type { OwnerDocument, OwnerSelf } from "@pdpp/contract/owner";
import { revoke } from "../store/access/grants.ts";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { deleteAllRequests } from "../store/access/log/log-requests.ts";
import {
  canonicalizeTimeZone,
  deleteAccess,
  getMachineTimeZone,
  insertOwner,
  listActiveAccess,
  listFirstOwners,
  listOwnerRows,
  loadOwnerName,
  loadOwnerTimeZone,
  markRemoved,
  type OwnerRow,
  setOwnerName,
  setOwnerTimeZone,
} from "../store/access/owners.ts";
import { deleteUnusedBlobs } from "../store/blobs/blobs.ts";
import { listConnections } from "../store/catalog/connections.ts";
import { lockAllOwners } from "../store/catalog/lock-owner.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import { requireValue } from "../store/engine/require-value.ts";
import { deleteKey } from "../store/sources/secrets.ts";
import { deleteSources } from "../store/sources/sources.ts";
import type { Store } from "../store/store.ts";
import { removeConnection } from "./connections.ts";

/** The owners of a vault. Anyone who can open its files may manage them; over HTTP no request can name another owner. */

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u;

export async function listOwners(store: Store): Promise<OwnerDocument[]> {
  return (await store.engine.read(listOwnerRows)).map(({ name }) => ({ object: "owner", name }));
}

/** Says nothing about other owners but whether there are any. */
export async function describeOwner(store: Store, ownerNo: number): Promise<OwnerSelf> {
  return store.engine.read(async (on) => {
    const zone = await loadOwnerTimeZone(on, ownerNo);
    return {
      object: "owner",
      name: requireValue(await loadOwnerName(on, ownerNo), `owner ${ownerNo}`),
      is_only: (await listFirstOwners(on, 1, ownerNo)).length === 0,
      time_zone: zone ?? getMachineTimeZone(),
      is_time_zone_set: zone !== undefined,
    };
  });
}

/** Null resets to the server's time zone. */
export async function setTimeZone(store: Store, ownerNo: number, zone: string | null, now: number): Promise<OwnerSelf> {
  const written = zone === null ? null : canonicalizeTimeZone(zone);
  if (written === undefined)
    throw new PdppError(
      "invalid_argument",
      `${JSON.stringify(zone?.slice(0, 80))} is not a time zone; give an IANA name such as Europe/Berlin`,
      { param: "time_zone" },
    );
  await store.engine.write(async (on) => {
    await setOwnerTimeZone(on, ownerNo, written);
    await logOwnerAction(on, { ownerNo, at: now, operation: "owner.time-zone", subject: written ?? "server" });
  });
  return describeOwner(store, ownerNo);
}

/** Returns the named owner, or the only one. Never guesses among several. */
export async function findOwner(store: Store, name?: string): Promise<number> {
  const all = await store.engine.read(listOwnerRows);
  const [first, ...others] = name === undefined ? all : all.filter((each) => each.name === name);
  if (first !== undefined && others.length === 0) return first.no;
  const names = all.map((each) => each.name).join(", ");
  throw first === undefined
    ? new PdppError("not_found", `there is no owner ${name}; this vault has: ${names}`)
    : new PdppError("invalid_argument", `this vault has several owners; choose one with --owner: ${names}`);
}

export async function findFirstOwner(store: Store): Promise<number> {
  const [first] = await store.engine.read(listOwnerRows);
  if (first === undefined) throw new Error("the vault has no owner");
  return first.no;
}

export async function addOwner(store: Store, name: string, now: number): Promise<OwnerDocument> {
  await store.engine.write(async (on) => {
    await reserveName(on, name);
    const ownerNo = await insertOwner(on, name);
    await logOwnerAction(on, { ownerNo, at: now, operation: "owner.add", subject: name });
  });
  return { object: "owner", name };
}

export async function renameOwner(store: Store, from: string, to: string, now: number): Promise<OwnerDocument> {
  const ownerNo = await findOwner(store, from);
  await store.engine.write(async (on) => {
    await reserveName(on, to);
    await setOwnerName(on, ownerNo, to);
    await logOwnerAction(on, { ownerNo, at: now, operation: "owner.rename", subject: `${from} ${to}` });
  });
  return { object: "owner", name: to };
}

/** Removes an owner with all data. The first step revokes all access; an interrupted removal can be repeated. */
export async function removeOwner(store: Store, name: string, now: number): Promise<void> {
  const ownerNo = await findOwner(store, name);
  if ((await store.engine.read(listOwnerRows)).length === 1)
    throw new PdppError("invalid_argument", "a vault needs at least one owner; add another before you remove this one");
  await store.log.flush();
  await store.engine.write(async (on) => {
    for (const id of await listActiveAccess(on, ownerNo)) {
      await store.noteRevoked(ownerNo, id, now);
      await revoke(on, ownerNo, id, now);
    }
    await deleteAccess(on, ownerNo);
    await deleteSources(on, ownerNo);
    await deleteKey(on, ownerNo);
    await deleteAllRequests(on, ownerNo);
    await logOwnerAction(on, { ownerNo, at: now, operation: "owner.remove", subject: name });
  });
  for (const { id } of await store.engine.read((on) => listConnections(on, ownerNo)))
    await removeConnection(store, ownerNo, id, now);
  // Includes blobs that were stored for a record that never arrived.
  await deleteUnusedBlobs(store.engine, store.blobs, ownerNo, Number.MAX_SAFE_INTEGER);
  await store.engine.write((on) => markRemoved(on, ownerNo));
  await store.sweep();
}

/** Locks out other writers, so that two owners cannot get the same name. */
async function reserveName(on: WriteTransaction, name: string): Promise<void> {
  if (!namePattern.test(name))
    throw new PdppError(
      "invalid_argument",
      `${JSON.stringify(name)} is not a valid name; use letters and digits, and . _ @ - after the first character`,
    );
  await lockAllOwners(on);
  if ((await listOwnerRows(on)).some((each: OwnerRow) => each.name === name))
    throw new PdppError("invalid_argument", `an owner named ${name} already exists`);
}
