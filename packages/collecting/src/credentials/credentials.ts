import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { KeyProtection, SealedSecret, SealingKey } from "@pdpp/contract/secrets";
import { parseContents, type SecretContents } from "./contents.ts";
import { createKey, describeKeyPlace, type KeyOptions, type OpenKey, openKey } from "./keys.ts";
import { seal, unseal } from "./seal.ts";

/** The credentials of an owner's sources: kept in the vault, sealed by a key that is not. */
export interface Credentials {
  /** The saved variables of a source that signs in with a password, by name. */
  load(sourceId: string): Promise<Readonly<Record<string, string>>>;
  /** Replaces what was saved for the source. */
  save(sourceId: string, values: Readonly<Record<string, string>>): Promise<void>;
  remove(sourceId: string): Promise<void>;
  /** Where the key is; undefined until the first credentials are saved. */
  describeKey(): Promise<KeyDescription | undefined>;
  /** Opens the key, if there is one, so that a wrong or missing one is known before it is needed. */
  unlock(): Promise<void>;
  /** Moves the key and seals everything again. */
  protectWith(protection: KeyProtection, next?: Pick<KeyOptions, "getPassphrase">): Promise<KeyDescription>;
  /** The unsealed secret of a source, in a form that can be replaced. */
  open(sourceId: string): Promise<OpenSecret | undefined>;
  /** Saves a new sign-in. */
  put(sourceId: string, contents: SecretContents): Promise<void>;
  /** Replaces contents within a run. Returns false if the owner signed in again in the meantime. */
  refresh(runId: string, before: OpenSecret, contents: SecretContents): Promise<boolean>;
}

interface KeyDescription {
  readonly key_id: string;
  readonly protection: KeyProtection;
  readonly place: string;
}

export interface OpenSecret {
  readonly stored: SealedSecret;
  readonly contents: SecretContents;
}

/** Nothing is read or created before it is needed. */
export function openCredentials({ secrets }: Pick<OwnerApi, "secrets">, options: KeyOptions): Credentials {
  let cached: OpenKey | undefined;
  const unlock = async (key: SealingKey): Promise<OpenKey> => {
    if (cached?.id !== key.key_id) cached = await openKey(key, options);
    return cached;
  };
  const requireKey = async (): Promise<OpenKey> => {
    const recorded = await secrets.getKey();
    // Another process may have recorded its key first; the unused one stays where it is and opens nothing.
    return unlock(recorded ?? (await secrets.addKey(await createKey(await secrets.getOwner(), options))));
  };
  const unsealSecret = (key: OpenKey, stored: SealedSecret): SecretContents => {
    const text = unseal(key.bytes, getPlace(key, stored.source_id), stored.sealed);
    if (text !== undefined) return parseContents(text);
    throw new PdppError("unavailable", `the saved credentials of source ${stored.source_id} are damaged`, {
      next_step: `sign in again with pdpp source sign-in ${stored.source_id}`,
    });
  };
  const sealContents = (key: OpenKey, sourceId: string, contents: SecretContents): string =>
    seal(key.bytes, getPlace(key, sourceId), JSON.stringify(contents));
  const describe = (key: SealingKey): KeyDescription => ({
    key_id: key.key_id,
    protection: key.protection,
    place: describeKeyPlace(key, options),
  });
  const open = async (sourceId: string): Promise<OpenSecret | undefined> => {
    const stored = await secrets.get(sourceId);
    if (stored === undefined) return undefined;
    return { stored, contents: unsealSecret(await requireKey(), stored) };
  };
  const put = async (sourceId: string, contents: SecretContents): Promise<void> => {
    const key = await requireKey();
    const sealed = sealContents(key, sourceId, contents);
    await secrets.save(sourceId, { key_id: key.id, sealed, method: contents.method });
  };
  return {
    async load(sourceId) {
      const contents = (await open(sourceId))?.contents;
      return contents?.method === "password" ? contents.values : {};
    },
    save: (sourceId, values) => put(sourceId, { method: "password", values }),
    remove: (sourceId) => secrets.remove(sourceId),
    async describeKey() {
      const key = await secrets.getKey();
      return key && describe(key);
    },
    async unlock() {
      const key = await secrets.getKey();
      if (key !== undefined) await unlock(key);
    },
    async protectWith(protection, next = {}) {
      const before = await secrets.getKey();
      const after = await createKey(await secrets.getOwner(), { ...options, ...next, protection });
      if (before === undefined) return describe(await secrets.addKey(after));
      const [from, to] = [await unlock(before), await openKey(after, { ...options, ...next })];
      const resealed = (await secrets.list()).map((stored) => ({
        source_id: stored.source_id,
        before: stored.sealed,
        after: sealContents(to, stored.source_id, unsealSecret(from, stored)),
      }));
      await secrets.replaceKey(before, after, resealed);
      cached = to;
      return describe(after);
    },
    open,
    put,
    async refresh(runId, { stored }, contents) {
      const key = await requireKey();
      const after = sealContents(key, stored.source_id, contents);
      return secrets.refresh(runId, { source_id: stored.source_id, before: stored.sealed, after });
    },
  };
}

const getPlace = ({ owner, id }: OpenKey, sourceId: string): readonly (string | number)[] => [
  "pdpp-source",
  owner,
  sourceId,
  id,
];
