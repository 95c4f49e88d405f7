/** The credentials of sources, sealed by a key that is not in the vault. */
export interface SecretsApi {
  /** Identifies the owner in what a seal covers. */
  getOwner(): Promise<number>;
  /** The key that seals this owner's credentials; undefined until the first are saved. */
  getKey(): Promise<SealingKey | undefined>;
  /** Records the key, unless there is one already. Returns the recorded one. */
  addKey(key: SealingKey): Promise<SealingKey>;
  /** Replaces the key and all that it sealed in one transaction. Throws if any of it has changed since. */
  replaceKey(before: SealingKey, after: SealingKey, secrets: readonly ResealedSecret[]): Promise<void>;
  list(): Promise<SealedSecret[]>;
  get(sourceId: string): Promise<SealedSecret | undefined>;
  /** Durable when it resolves. Throws if the key was replaced since. */
  save(sourceId: string, update: SecretUpdate): Promise<void>;
  /** Replaces a secret within a run. Returns false if the owner has saved another one since. Throws if the run lost its lease. */
  refresh(runId: string, secret: ResealedSecret): Promise<boolean>;
  remove(sourceId: string): Promise<void>;
  /** Deletes the key and all that it sealed. The sources then ask for their credentials. */
  forget(): Promise<void>;
}

/** Where the key is kept. It is recorded once and never changes by itself. */
export type KeyProtection = "keychain" | "file" | "passphrase";

export interface SealingKey {
  readonly key_id: string;
  /** Whose it is: part of what the seals cover. */
  readonly owner: number;
  readonly protection: KeyProtection;
  /** For deriving the key from a passphrase. */
  readonly salt?: string;
  /** A known text, sealed, which tells a wrong key from a damaged secret. */
  readonly check: string;
}

/** How a source signs in. */
export type SignInMethod = "password" | "oauth";

export interface SealedSecret {
  readonly source_id: string;
  readonly key_id: string;
  readonly sealed: string;
}

interface ResealedSecret {
  readonly source_id: string;
  readonly before: string;
  readonly after: string;
}

export interface SecretUpdate {
  readonly key_id: string;
  readonly sealed: string;
  readonly method: SignInMethod;
}
