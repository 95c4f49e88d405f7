import { UsageError } from "../runtime/failure.ts";

/** Every file starts with this, so that files which somebody wrote by hand are never replaced or removed. */
export const marker = "Written by pdpp service install.";

/** Where the service belongs. */
export interface ServicePlace {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** For the whole machine instead of the user. */
  readonly isSystem: boolean;
}

export interface ServiceDefinition {
  /** Node and the file of pdpp, or the single executable. */
  readonly program: readonly [command: string, ...args: string[]];
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
  readonly serveArgs: readonly string[];
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly backup?: DailyBackup | undefined;
}

export interface DailyBackup {
  readonly folder: string;
  readonly keep: number;
  readonly passphraseFile?: string | undefined;
}

export interface ServiceFile {
  readonly path: string;
  readonly content: string;
  readonly encoding: "utf8" | "utf16le";
  /** 0o600 for files with a secret. */
  readonly mode: number;
  /** Replaces secrets in the output of --print. */
  readonly shown?: string;
}

export interface Step {
  readonly command: string;
  readonly args: readonly string[];
  /** A step that undoes what may not be there. */
  readonly mayFail?: true;
}

interface LogRequest {
  readonly lines: number;
  readonly follow: boolean;
  readonly json: boolean;
}

/** A program of the operating system that starts services. */
export interface ServiceManager {
  readonly title: string;
  /** Where the vault is if the service cannot use the user's. */
  readonly ownDataDir?: string;
  readonly server: ServiceUnit;
  readonly backup: ServiceUnit;
  /** Files that belong to both. */
  readonly sharedPaths: readonly string[];
  buildFiles(definition: ServiceDefinition): ServiceFile[];
  /** After the files are written. */
  start(units: readonly ServiceUnit[]): Step[];
  /** Before the files are removed. */
  stop(units: readonly ServiceUnit[]): Step[];
  /** After the files are removed. */
  readonly forget: readonly Step[];
  showLogs(request: LogRequest): Step;
  /** Printed after an installation. */
  readonly notes: readonly string[];
}

export interface ServiceUnit {
  readonly name: string;
  readonly paths: readonly string[];
  readonly status: Step;
  /** Whether the answer to `status` says that it runs, or for a backup, that it is scheduled. */
  isActive(answer: { readonly code: number; readonly stdout: string }): boolean;
}

/** The arguments of `pdpp serve`, without the vault. */
export const buildServeArgs = ({ serveArgs, tls }: ServiceDefinition): string[] => [
  ...serveArgs,
  ...(tls === undefined ? [] : ["--tls-cert", tls.certFile, "--tls-key", tls.keyFile]),
];

/** The arguments of the daily backup, without the vault. */
export const buildBackupArgs = ({ folder, keep }: DailyBackup, passphraseFile: string | undefined): string[] => [
  "backup",
  folder,
  "--keep",
  String(keep),
  ...(passphraseFile === undefined ? [] : ["--passphrase-file", passphraseFile]),
];

export function rejectDatabase({ databaseUrl }: ServiceDefinition): void {
  if (databaseUrl !== undefined)
    throw new UsageError(
      "on this system the service cannot keep the password of a database; use a vault in a folder, or start pdpp serve with the system's own tools",
    );
}
