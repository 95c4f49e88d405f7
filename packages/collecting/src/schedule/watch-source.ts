import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { ActiveSource } from "@pdpp/server/owner/schedule/due-sources";
import { z } from "zod";
import { listBuiltins } from "../builtin/builtin.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { watchFolder } from "../folder/watch-folder.ts";
import type { WatchSource } from "./watchers.ts";

const folder = z.object({ path: z.string() });
const account = z.object({ builtin: z.string(), values: z.record(z.string(), z.string()) });

const findWatch = (settings: z.infer<typeof account>) =>
  listBuiltins().find(({ name }) => name === settings.builtin)?.watch;

/** Folders, and accounts whose connector can wait for changes. */
export function canBeWatched({ kind, settings }: ActiveSource): boolean {
  if (kind === "folder") return true;
  const parsed = account.safeParse(settings);
  return parsed.success && findWatch(parsed.data) !== undefined;
}

interface WatchParts {
  readonly getOwner: (ownerNo: number) => OwnerApi;
  readonly openCredentials: ((owner: OwnerApi) => Credentials) | undefined;
  readonly onBug: (error: unknown) => void;
}

export const createWatch = ({ getOwner, openCredentials, onBug }: WatchParts): WatchSource => {
  const watchAccount: WatchSource = ({ ownerNo, sourceId, settings }, options) => {
    const parsed = account.safeParse(settings);
    const watch = parsed.success ? findWatch(parsed.data) : undefined;
    if (watch === undefined || !parsed.success) return;
    const start = async (): Promise<void> => {
      const secrets = (await openCredentials?.(getOwner(ownerNo)).load(sourceId)) ?? {};
      // Access tokens expire, so accounts that sign in at a provider are collected on their schedule only.
      if (Object.keys(secrets).length > 0) await watch({ ...parsed.data.values, ...secrets }, options);
    };
    // A key that is missing is what the next run reports.
    start().catch((error: unknown) => (error instanceof PdppError ? undefined : onBug(error)));
  };
  return (source, options) => {
    if (source.kind !== "folder") return watchAccount(source, options);
    const parsed = folder.safeParse(source.settings);
    if (parsed.success) watchFolder(parsed.data.path, options);
  };
};
