import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { runCommand } from "./run-in-process.ts";
import { type RunOptions, type RunResult, runPdpp } from "./run-pdpp.ts";

/** A vault that is used through the command line only. */
interface CliVaultOptions {
  readonly databaseUrl?: string | undefined;
  readonly isInProcess?: boolean;
}

export interface CliVault {
  readonly directory: string;
  /** Writes a file next to the vault and returns its path. */
  file(name: string, content: string | Uint8Array | object): string;
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs with --json, expects success, and returns the document. */
  json<T>(args: readonly string[], options?: RunOptions): Promise<T>;
  drop(): void;
}

/** `isInProcess`: for tests that are not about processes; starting one takes most of the time of a command. */
export function createCliVault({ databaseUrl, isInProcess }: CliVaultOptions = {}): CliVault {
  const directory = mkdtempSync(join(tmpdir(), "pdpp-cli-"));
  const place = [
    "--data-dir",
    join(directory, "vault"),
    ...(databaseUrl === undefined ? [] : ["--database-url", databaseUrl]),
  ];
  // Hides the developer's own credentials, agent configurations and keychain.
  const home = {
    HOME: directory,
    USERPROFILE: directory,
    PDPP_KEY_DIR: join(directory, "keys"),
    PDPP_SOURCE_KEY: "file",
  };
  const run = (args: readonly string[], options?: RunOptions) =>
    (isInProcess ? runCommand : runPdpp)([...args, ...place], { ...options, env: { ...home, ...options?.env } });
  return {
    directory,
    run,
    file(name, content) {
      const path = join(directory, name);
      const bytes =
        typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content, null, 2);
      writeFileSync(path, bytes);
      return path;
    },
    async json<T>(args: readonly string[], options?: RunOptions) {
      const ran = await run([...args, "--json"], options);
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      return JSON.parse(ran.stdout) as T;
    },
    drop: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A small connector with a single stream. */
export function buildTinyManifest(key: string, stream: string, extra: object = {}): object {
  return {
    connector_id: `https://example.org/connectors/${key}`,
    connector_key: key,
    version: "1.0.0",
    display_name: key,
    streams: [
      {
        name: stream,
        semantics: "mutable_state",
        primary_key: ["id"],
        cursor_field: "at",
        consent_time_field: "at",
        selection: { fields: true, resources: true },
        schema: {
          type: "object",
          properties: {
            id: { type: "string" },
            title: { type: "string", x_pdpp_role: "primary-title" },
            at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
            blob_ref: { type: ["object", "null"] },
          },
          required: ["id", "title"],
          additionalProperties: false,
        },
        query: { search: { lexical_fields: ["title"] }, range_filters: { at: ["gte", "lt"] }, ...extra },
      },
    ],
  };
}

export const toNdjson = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");
