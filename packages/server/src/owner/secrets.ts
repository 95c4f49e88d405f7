import { PdppError } from "@pdpp/contract/errors";
import type { SecretsApi } from "@pdpp/contract/secrets";
import { logOwnerAction } from "../store/access/log/log-chain.ts";
import { lockOwner } from "../store/catalog/lock-owner.ts";
import type { WriteTransaction } from "../store/engine/engine.ts";
import {
  deleteKey,
  deleteSecret,
  deleteSecrets,
  insertKey,
  listSecrets,
  loadKey,
  loadSecret,
  replaceSecret,
  saveSecret,
} from "../store/sources/secrets.ts";
import { updateNextRun } from "../store/sources/sources.ts";
import type { OwnerContext } from "./owner-context.ts";
import { chooseFirstRun } from "./schedule/first-run.ts";
import { keepLease, requireSource } from "./source-lease.ts";

/** Keeps what is sealed and never has a key to open it. */
export function createSecretsApi(context: OwnerContext): SecretsApi {
  const { ownerNo, now } = context;
  const { engine } = context.store;
  const requireKey = async (on: WriteTransaction, keyId: string): Promise<void> => {
    if ((await loadKey(on, ownerNo))?.key_id !== keyId)
      throw new PdppError("unavailable", "the key of this vault's credentials has just been replaced; try again");
  };
  return {
    getOwner: async () => ownerNo,
    getKey: () => engine.read((on) => loadKey(on, ownerNo)),
    addKey: (key) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const recorded = await loadKey(on, ownerNo);
        if (recorded === undefined) await insertKey(on, ownerNo, key);
        return recorded ?? key;
      }),
    replaceKey: (before, after, secrets) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        await requireKey(on, before.key_id);
        await deleteKey(on, ownerNo);
        await insertKey(on, ownerNo, after);
        for (const { source_id, before: old, after: sealed } of secrets)
          await replaceSecret(on, ownerNo, source_id, old, { sealed, key_id: after.key_id });
        if ((await listSecrets(on, ownerNo)).some(({ key_id }) => key_id !== after.key_id))
          throw new PdppError("unavailable", "credentials have changed in the meantime; try again");
      }),
    list: () => engine.read((on) => listSecrets(on, ownerNo)),
    get: (sourceId) =>
      engine.read(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        return loadSecret(on, ownerNo, sourceId);
      }),
    save: (sourceId, update) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        const source = await requireSource(on, ownerNo, sourceId);
        await requireKey(on, update.key_id);
        await saveSecret(on, ownerNo, sourceId, update, now());
        // It may have waited for them.
        await updateNextRun(on, ownerNo, sourceId, await chooseFirstRun(context, on, source));
        await logOwnerAction(on, { ownerNo, at: now(), operation: "source.sign-in", subject: sourceId });
      }),
    refresh: (runId, { source_id, before, after }) =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        await keepLease(on, ownerNo, runId, now());
        return replaceSecret(on, ownerNo, source_id, before, { sealed: after });
      }),
    remove: (sourceId) =>
      engine.write(async (on) => {
        await requireSource(on, ownerNo, sourceId);
        await deleteSecret(on, ownerNo, sourceId);
      }),
    forget: () =>
      engine.write(async (on) => {
        await lockOwner(on, ownerNo);
        await deleteKey(on, ownerNo);
        await deleteSecrets(on, ownerNo);
      }),
  };
}
