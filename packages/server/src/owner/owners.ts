import { PdppError } from "@pdpp/contract/errors";
import type { OwnerDocument, OwnerSelf } from "@pdpp/contract/owner";
import { revoke } from "../store/access/grants.ts";
import { noteAct } from "../store/access/log-chain.ts";
import {
  accessOf,
  canonicalTimeZone,
  deleteAccess,
  insertOwner,
  machineTimeZone,
  markGone,
  nameOwner,
  type OwnerRow,
  ownerRows,
  ownerTimeZone,
  setOwnerTimeZone,
} from "../store/access/owners.ts";
import { dropUnusedBlobs } from "../store/blobs/blobs.ts";
import { connections } from "../store/catalog/connections.ts";
import type { Store } from "../store/store.ts";
import { removeConnection } from "./connections.ts";

/** Who has data in a vault. Whoever can open its files decides; over HTTP nobody can name another owner. */

const nameForm = /^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u;

export async function owners(store: Store): Promise<OwnerDocument[]> {
  return (await store.engine.read(ownerRows)).map(({ name }) => ({ object: "owner", name }));
}

/** One of them, without a word about the others but that there are some. */
export async function selfOf(store: Store, ownerNo: number): Promise<OwnerSelf> {
  return store.engine.read(async (on) => {
    const all = await ownerRows(on);
    const zone = await ownerTimeZone(on, ownerNo);
    return {
      object: "owner",
      name: all.find(({ no }) => no === ownerNo)?.name ?? "",
      is_only: all.every(({ no }) => no === ownerNo),
      time_zone: zone ?? machineTimeZone(),
      is_time_zone_set: zone !== undefined,
    };
  });
}

/** Null goes back to the zone of the server's machine. */
export async function setTimeZone(store: Store, ownerNo: number, zone: string | null, now: number): Promise<OwnerSelf> {
  const written = zone === null ? null : canonicalTimeZone(zone);
  if (written === undefined)
    throw new PdppError(
      "invalid_argument",
      `${JSON.stringify(zone?.slice(0, 80))} is not a time zone; give an IANA name such as Europe/Berlin`,
      { param: "time_zone" },
    );
  await store.engine.write(async (on) => {
    await setOwnerTimeZone(on, ownerNo, written);
    await noteAct(on, { ownerNo, at: now, operation: "owner.time-zone", subject: written ?? "server" });
  });
  return selfOf(store, ownerNo);
}

/** The owner who was named, or the only one there is: nobody's records are touched by a guess. */
export async function ownerNamed(store: Store, name?: string): Promise<number> {
  const all = await store.engine.read(ownerRows);
  const [first, ...others] = name === undefined ? all : all.filter((each) => each.name === name);
  if (first !== undefined && others.length === 0) return first.no;
  const names = all.map((each) => each.name).join(", ");
  throw first === undefined
    ? new PdppError("not_found", `there is no owner ${name}; this vault has: ${names}`)
    : new PdppError("invalid_argument", `this vault has several owners; say which with --owner: ${names}`);
}

/** The owner who has been there longest, for what a server says of itself when it starts. */
export async function firstOwner(store: Store): Promise<number> {
  const [first] = await store.engine.read(ownerRows);
  if (first === undefined) throw new Error("the vault has no owner");
  return first.no;
}

export async function addOwner(store: Store, name: string, now: number): Promise<OwnerDocument> {
  await store.engine.write(async (on) => {
    await checkName(on, name);
    const ownerNo = await insertOwner(on, name);
    await noteAct(on, { ownerNo, at: now, operation: "owner.add", subject: name });
  });
  return { object: "owner", name };
}

export async function renameOwner(store: Store, from: string, to: string, now: number): Promise<OwnerDocument> {
  const ownerNo = await ownerNamed(store, from);
  await store.engine.write(async (on) => {
    await checkName(on, to);
    await nameOwner(on, ownerNo, to);
    await noteAct(on, { ownerNo, at: now, operation: "owner.rename", subject: `${from} ${to}` });
  });
  return { object: "owner", name: to };
}

/** Removes an owner with everything. It can be begun again when it was interrupted: the first step lets nobody in any more. */
export async function removeOwner(store: Store, name: string, now: number): Promise<void> {
  const ownerNo = await ownerNamed(store, name);
  if ((await store.engine.read(ownerRows)).length === 1)
    throw new PdppError("invalid_argument", "a vault has at least one owner; add another before you remove this one");
  await store.engine.write(async (on) => {
    for (const id of await accessOf(on, ownerNo)) {
      await store.noteRevoked(ownerNo, id, now);
      await revoke(on, ownerNo, id, now);
    }
    await deleteAccess(on, ownerNo);
    await noteAct(on, { ownerNo, at: now, operation: "owner.remove", subject: name });
  });
  for (const { id } of await store.engine.read((on) => connections(on, ownerNo)))
    await removeConnection(store, ownerNo, id, now);
  // Bytes that were stored for a record that never came, too.
  await dropUnusedBlobs(store.engine, store.blobs, ownerNo, Number.MAX_SAFE_INTEGER);
  await store.engine.write((on) => markGone(on, ownerNo));
  await store.sweep();
}

async function checkName(on: Parameters<typeof ownerRows>[0], name: string): Promise<void> {
  if (!nameForm.test(name))
    throw new PdppError(
      "invalid_argument",
      `${JSON.stringify(name)} is no name: letters, digits, and . _ @ - after the first`,
    );
  if ((await ownerRows(on)).some((each: OwnerRow) => each.name === name))
    throw new PdppError("invalid_argument", `there is an owner ${name} already`);
}
