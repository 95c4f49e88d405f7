import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OwnerApi } from "@pdpp/contract/owner";
import type { RunDocument, SourceDocument } from "@pdpp/contract/sources";
import { createOwner } from "@pdpp/server/owner/owner";
import { findOwner } from "@pdpp/server/owner/owners";
import { openStore, type Store } from "@pdpp/server/store/store";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { expect } from "vitest";
import type { OAuthSession } from "#collecting/credentials/contents";
import { type Credentials, openCredentials } from "#collecting/credentials/credentials";
import { manifest, prelude } from "../connector.ts";
import { startProvider } from "./foreign-provider.ts";

const asking = {
  ...manifest,
  runtime_requirements: { environment_variables: ["SAMPLE_REFUSED"] },
  setup: {
    credential_capture: {
      fields: [
        { name: "password", env: "SAMPLE_PASSWORD", secret: true },
        { name: "access_token", env: "SAMPLE_ACCESS_TOKEN", secret: true },
      ],
    },
  },
};

/** Stores a digest of each access token, and its whole environment. With `SAMPLE_PASSWORD=again` it asks for another token, twice. */
const script = `${prelude}
const { createHash } = await import("node:crypto");
const digest = (text) => createHash("sha256").update(text ?? "none").digest("hex");
await record("notes", "token", { body: digest(process.env.SAMPLE_ACCESS_TOKEN) });
await record("notes", "environment", { body: JSON.stringify(process.env) });
const refused = process.env.SAMPLE_REFUSED;
if (refused === "all" || refused === digest(process.env.SAMPLE_ACCESS_TOKEN)) {
  await done("failed", { error: { code: "auth", message: "refused", retryable: false, recovery_hint: "refresh_credentials" } });
  await leave(1);
  process.exit(1);
}
if (process.env.SAMPLE_PASSWORD === "again") {
  const schema = { type: "object", properties: { SAMPLE_ACCESS_TOKEN: { type: "string" } } };
  for (const id of ["first", "second"]) {
    await say({ type: "INTERACTION", request_id: id, kind: "credentials", message: "The token has expired", schema });
    const { status, data } = await reply();
    await record("notes", id, { body: status + " " + digest(data?.SAMPLE_ACCESS_TOKEN) });
    await say({ type: "PROGRESS", message: "got " + data?.SAMPLE_ACCESS_TOKEN });
  }
}
await done();
await leave();
`;

export const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Starts `pdpp source` as a process, and keeps what it writes. */
export function startSourceCommand({ directory }: CliVault, args: readonly string[]) {
  const child = spawn(process.execPath, [pdppFile, "source", ...args, "--data-dir", join(directory, "vault")], {
    env: cleanEnvironment({ HOME: directory, PDPP_KEY_DIR: join(directory, "keys"), PDPP_SOURCE_KEY: "file" }),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += String(chunk)));
  const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
    child.once("close", (code) => resolve({ code, text })),
  );
  return { child, ended, read: () => text };
}

/** A vault with the source `one`, and the provider at which it can sign in. */
export async function createProviderWorld() {
  const provider = await startProvider();
  const vault = createCliVault({ isInProcess: true });
  const dataDir = join(vault.directory, "vault");
  const folder = join(vault.directory, "connector");
  mkdirSync(folder);
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(asking));
  writeFileSync(join(folder, "index.mjs"), script);
  await vault.json(["source", "add", "connector", folder, "--yes", "--id", "one"]);

  const start = (args: readonly string[]) => startSourceCommand(vault, args);
  const describeSignIn = (...more: string[]) => [
    ...["sign-in", "one", "--oauth", "custom", "--issuer", provider.issuer, "--client-id", provider.clientId],
    ...["--scope", "openid offline_access mail", "--no-browser", ...more],
  ];
  /** The access token is about to expire from the beginning, unless `lasts`. */
  const signIn = async (lasts = false) => {
    provider.accessTokenSeconds = lasts ? 3600 : 1;
    const signing = start(describeSignIn());
    await expect.poll(signing.read).toMatch(/^http:.*\n/m);
    const [url = ""] = /^http:.*$/m.exec(signing.read()) ?? [];
    await provider.visit(url);
    const signed = await signing.ended;
    expect(signed, signed.text).toMatchObject({ code: 0 });
    provider.accessTokenSeconds = 3600;
    return signed;
  };
  const sync = async (env: Record<string, string> = {}): Promise<RunDocument | undefined> => {
    const ran = await vault.run(["source", "sync", "one", "--json"], { env });
    return (JSON.parse(ran.stdout) as { data: RunDocument[] }).data[0];
  };
  const show = () => vault.json<SourceDocument>(["source", "show", "one"]);
  const countRefreshes = (): number => provider.requests.get("refresh_token") ?? 0;
  const openVault = async <T>(
    work: (parts: { store: Store; owner: OwnerApi; credentials: Credentials }) => Promise<T>,
  ) => {
    const store = await openStore({ dataDir });
    try {
      const owner = createOwner({ store, ownerNo: await findOwner(store), now: Date.now });
      return await work({
        store,
        owner,
        credentials: openCredentials(owner, { keyFolder: join(vault.directory, "keys") }),
      });
    } finally {
      await store.close();
    }
  };
  const loadSession = (): Promise<OAuthSession> =>
    openVault(async ({ credentials }) => {
      const contents = (await credentials.open("one"))?.contents;
      if (contents?.method !== "oauth") throw new Error("not signed in");
      return contents;
    });
  const listNotes = (): Promise<Record<string, string>> =>
    openVault(async ({ owner }) => {
      const notes: Record<string, string> = {};
      for await (const { data } of (await owner.reader()).export({})) notes[String(data.id)] = String(data.body);
      return notes;
    });

  return {
    provider,
    vault,
    start,
    describeSignIn,
    signIn,
    sync,
    show,
    countRefreshes,
    openVault,
    loadSession,
    listNotes,
    async drop(): Promise<void> {
      vault.drop();
      await provider.stop();
    },
  };
}

export type ProviderWorld = Awaited<ReturnType<typeof createProviderWorld>>;
