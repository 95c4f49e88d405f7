import { join } from "node:path";
import { PdppError } from "@pdpp/contract/errors";
import type { StoreLocation } from "@pdpp/server/store/store";
import { getErrorCode, getErrorMessage } from "@pdpp/server/system-error";
import type { Command } from "commander";
import {
  getCredentialPath,
  readCredential,
  resolveCacheRoot,
  saveCredential,
} from "../../credentials/credential-file.ts";
import { defaultPort, defaultProviderUrl } from "../../credentials/provider-url.ts";
import { findRunningServer } from "../../doctor/running-server.ts";
import { quoteForShell } from "../../render/continuation.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import {
  addCommand,
  type Call,
  collectValues,
  omitUndefined,
  onRun,
  parseIntegerBetween,
} from "../../runtime/command.ts";
import type { Output } from "../../runtime/output.ts";
import { withVault } from "../../runtime/vault.ts";

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly demo?: boolean;
  readonly allowedHost?: string[];
  readonly clientQueries: boolean;
  readonly strictLog?: boolean;
  readonly dataDir?: string;
  readonly importPaths?: boolean;
}

/** Ctrl-C arrives twice if an older Node started us: from the terminal and forwarded. */
const sameSignalMs = 500;

export function addServe(program: Command): void {
  const serving = addCommand(program, "serve", "Start the server: API, MCP and console", [
    "pdpp serve",
    "pdpp serve --demo --port 8080",
    "pdpp serve --public-url https://vault.example.org",
  ])
    .option("--port <number>", "port to listen on (0 picks a free one)", parseIntegerBetween(0, 65_535), defaultPort)
    .option("--host <address>", "address to listen on (localhost is 127.0.0.1 and ::1)", "localhost")
    .option("--public-url <url>", "public address, if the server is behind a proxy")
    .option("--demo", "serve a sample vault, kept in ~/.pdpp/demo")
    .option("--allowed-host <name>", "additional Host header to accept (repeatable)", collectValues)
    .option("--no-client-queries", "stop clients from using filters, expansions and views")
    .option("--import-paths", "let owners import files of this computer by path, wherever they sign in from")
    .option("--strict-log", "reject reads that cannot be written to the access log");
  onRun(serving, async ({ options, out, location: chosen }: Call<ServeOptions>) => {
    const location = options.demo ? resolveDemoLocation(chosen, options) : chosen;
    // Report a vault that cannot be opened like every other command does.
    await withVault(location, async () => undefined);
    const { serve } = await import("@pdpp/server/main");
    const { createImportService } = await import("@pdpp/importing/service/import-service");
    const { importPaths, publicUrl, demo, strictLog, allowedHost: allowedHosts } = options;
    const starting = serve({
      ...location,
      port: options.port,
      host: options.host,
      clientQueries: options.clientQueries,
      onProgress: out.remark,
      imports: await createImportService(location),
      ...omitUndefined({ importPaths, publicUrl, demo, strictLog, allowedHosts }),
    });
    const server = await starting.catch(async (error: unknown) => {
      throw (await describePortConflict(error, options)) ?? error;
    });
    const url = server.url.replace(/\/+$/, "");
    const savedTo = server.demoToken === undefined ? undefined : saveDemo(out, url, server.demoToken);
    announce(out, url, server.signInUrl, formatSignInCommand(location, url, options), server.demoToken, savedTo);
    await waitForSignal();
    await server.close();
  });
}

/** The port is most often taken by another pdpp. */
async function describePortConflict(
  error: unknown,
  { port, host, demo }: ServeOptions,
): Promise<PdppError | undefined> {
  if (!(error instanceof PdppError) || getErrorCode(error.cause) !== "EADDRINUSE") return undefined;
  const url = await findRunningServer(port, host);
  if (url === undefined) return undefined;
  const other = `--port ${port < 65_535 ? port + 1 : port - 1}`;
  const started = demo ? ` (npm start -- ${other})` : "";
  return new PdppError("unavailable", `pdpp is already running at ${url}; stop it first, or add ${other}${started}`);
}

/** Names this vault in the command, since a link for another vault would not work. */
function formatSignInCommand({ dataDir }: StoreLocation, url: string, { demo, dataDir: named }: ServeOptions): string {
  const place = demo || named !== undefined ? ["--data-dir", quoteForShell(dataDir)] : [];
  return ["npx pdpp sign-in", ...place, ...(url === defaultProviderUrl ? [] : ["--url", quoteForShell(url)])].join(" ");
}

/** The demo has its own folder unless the owner chooses a vault. */
const resolveDemoLocation = (chosen: StoreLocation, { dataDir }: ServeOptions): StoreLocation =>
  dataDir || chosen.databaseUrl ? chosen : { dataDir: join(chosen.dataDir, "demo") };

/** Lets an agent connect to the demo in one step. Never overwrites a real credential. */
function saveDemo(out: Output, url: string, accessToken: string): string | undefined {
  if (url !== defaultProviderUrl) return undefined;
  const root = resolveCacheRoot(undefined, process.env);
  const held = readCredential(getCredentialPath(root, url));
  if (held?.state === "owner" || (held?.state === "usable" && !held.saved.demo)) {
    out.remark(`Agents keep using the credential in ${held.path}, which is not for the demo.`);
    return undefined;
  }
  try {
    return saveCredential(root, { providerUrl: url, accessToken, demo: true });
  } catch (error) {
    out.remark(`Could not save the demo token for agents: ${getErrorMessage(error)}`);
    return undefined;
  }
}

function announce(
  out: Output,
  url: string,
  signInUrl: string,
  again: string,
  demoToken: string | undefined,
  savedTo: string | undefined,
): void {
  const ready = {
    event: "ready",
    url,
    mcp_url: `${url}/mcp`,
    console_url: `${url}/`,
    sign_in_url: signInUrl,
    demo_token: demoToken,
    saved_to: savedTo,
  };
  // One line even on a terminal, for programs that wait for it.
  if (out.json) process.stdout.write(`${JSON.stringify(ready)}\n`);
  else {
    out.result(ready, (style) =>
      formatProperties(style, [
        ["serving", url],
        ["console", signInUrl],
        ["another link", again],
        ...(demoToken === undefined ? [] : suggestCommands(url, demoToken, savedTo)),
        [
          "agents",
          savedTo === undefined ? undefined : "npx pdpp setup claude-code --write (other agents: npx pdpp setup)",
        ],
        ["demo token", demoToken],
        ["token file", savedTo],
      ]),
    );
  }
  out.remark("Press Ctrl-C to stop.");
}

/** Commands to try in another terminal; a saved token does not have to be passed. */
function suggestCommands(url: string, token: string, savedTo: string | undefined): [string, string][] {
  const kept = savedTo !== undefined;
  const read = kept ? "npx pdpp read" : `PDPP_ACCESS_TOKEN=${token} npx pdpp read`;
  return [
    ["try", `${read} search ${kept ? "" : `${url} `}"gutter thermostat"`],
    ["or with curl", `curl -H "Authorization: Bearer ${token}" ${url}/v1/streams`],
  ];
}

/** Resolves on the first signal; a second one exits without waiting for open requests. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (first !== undefined && Date.now() - first > sameSignalMs) process.exit(130);
        first ??= Date.now();
        resolve();
      });
    }
  });
}
