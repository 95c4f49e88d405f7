import { formatInstant, parseInstant } from "@pdpp/contract/instant";
import type { IssuedGrant } from "@pdpp/contract/owner";
import { UsageError } from "../runtime/failure.ts";
import { getCredentialPath, readCredential, resolveCacheRoot, saveCredential } from "./credential-file.ts";
import { defaultProviderUrl, getEncryptionWarning, normalizeProviderUrl } from "./provider-url.ts";

export interface SaveFlags {
  readonly save?: boolean;
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
  readonly replace?: boolean;
}

/** Where a new credential will be saved. */
export interface CredentialSlot {
  readonly path: string;
  readonly providerUrl: string;
  readonly warning: string | undefined;
  keep(issued: IssuedGrant, expiresAt: string | undefined): void;
  save(credential: NewCredential): void;
}

interface NewCredential {
  readonly accessToken: string;
  readonly expiresAt?: string | undefined;
  readonly grantId?: string | undefined;
  readonly packageId?: string | undefined;
}

/** Checks that the slot is free before a grant is issued. */
export function resolveSlot(flags: SaveFlags): CredentialSlot | undefined {
  if (!flags.save) {
    const idle = (["providerUrl", "cacheRoot", "replace"] as const).find((name) => flags[name] !== undefined);
    if (idle === undefined) return undefined;
    const option = idle.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`--${option} needs --save`);
  }
  return reserveSlot(flags);
}

/** Throws if the slot has a credential that may be in use. */
export function reserveSlot(flags: Omit<SaveFlags, "save">): CredentialSlot {
  const providerUrl = normalizeProviderUrl(flags.providerUrl ?? defaultProviderUrl);
  const root = resolveCacheRoot(flags.cacheRoot, process.env);
  const path = getCredentialPath(root, providerUrl);
  const held = readCredential(path);
  if (
    held !== undefined &&
    !flags.replace &&
    (held.state === "owner" || (held.state === "usable" && !held.saved.demo))
  ) {
    throw new UsageError(
      `${path} already has a credential for ${held.saved.providerUrl} that an agent may be using; add --replace to replace it`,
    );
  }
  const save = ({ accessToken, expiresAt, grantId, packageId }: NewCredential): void => {
    saveCredential(root, {
      providerUrl,
      accessToken,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(grantId === undefined ? {} : { grantId }),
      ...(packageId === undefined ? {} : { packageId }),
    });
  };
  return {
    path,
    providerUrl,
    warning:
      held?.state === "usable" && held.saved.demo ? warnDemoReplaced(providerUrl) : getEncryptionWarning(providerUrl),
    keep(issued, expiresAt) {
      const until = expiresAt === undefined ? null : parseInstant(expiresAt);
      save({
        accessToken: issued.token,
        ...(until === null ? {} : { expiresAt: formatInstant(until) }),
        ...(issued.package_id === undefined ? toGrantId(issued) : { packageId: issued.package_id }),
      });
    },
    save,
  };
}

const toGrantId = ({ grants: [grant] }: IssuedGrant) => (grant === undefined ? {} : { grantId: grant.grant_id });

const warnDemoReplaced = (providerUrl: string): string =>
  `this replaced the demo token for ${providerUrl}; if the demo is running there, use --provider-url with the address ` +
  "of the server for this vault";
