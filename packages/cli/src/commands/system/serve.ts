import { rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { commandName, demoCommand } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { hasTokenForm } from "@pdpp/server/auth/tokens";
import { isOwnNetwork } from "@pdpp/server/http/hosts";
import { listOwners } from "@pdpp/server/owner/owners";
import type { StoreLocation } from "@pdpp/server/store/store";
import { getErrorCode, getErrorMessage } from "@pdpp/server/system-error";
import { type Command, Option } from "commander";
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
  addTopCommand,
  type Call,
  collectValues,
  omitUndefined,
  onRun,
  parseIntegerBetween,
} from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { removeServerFile, writeServerFile } from "../../runtime/server-file.ts";
import { openOwner, withVault } from "../../runtime/vault.ts";
import { readTlsFiles } from "../../setup/tls-files.ts";
import { openSourceCredentials, unlockCredentials } from "../source/open-credentials.ts";
import { getDemoFolder } from "./open.ts";

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly publicUrl?: string;
  readonly databaseReadUrl?: string;
  readonly demo?: boolean;
  readonly allowedHost?: string[];
  readonly clientQueries: boolean;
  readonly strictLog?: boolean;
  readonly dataDir?: string;
  readonly importPaths?: boolean;
  readonly sync: boolean;
  readonly log?: "json";
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** Ctrl-C arrives twice if an older Node started us: from the terminal and forwarded. */
const sameSignalMs = 500;

export function addServe(program: Command): void {
  const serving = addTopCommand(program, "serve", [
    "pdpp serve",
    "pdpp serve --demo --port 8080",
    "pdpp serve --public-url https://vault.example.org",
    "pdpp serve --host 0.0.0.0 --tls-cert fullchain.pem --tls-key privkey.pem",
  ])
    .option("--port <number>", "port to listen on (0 picks a free one)", parseIntegerBetween(0, 65_535), defaultPort)
    .option("--host <address>", "address to listen on (localhost is 127.0.0.1 and ::1)", "localhost")
    .option("--public-url <url>", "public address, if it is not the one to listen on")
    .addOption(
      new Option("--tls-cert <file>", "serve https with this certificate, in PEM format with its chain").env(
        "PDPP_TLS_CERT",
      ),
    )
    .addOption(new Option("--tls-key <file>", "private key of the certificate, in PEM format").env("PDPP_TLS_KEY"))
    .addOption(
      new Option("--database-read-url <url>", "streaming replica of --database-url to read records from").env(
        "PDPP_DATABASE_READ_URL",
      ),
    )
    .option("--demo", "serve a sample vault, kept in ~/.pdpp/demo")
    .option("--allowed-host <name>", "additional Host header to accept (repeatable)", collectValues)
    .option("--no-client-queries", "stop clients from using filters, expansions and views")
    .option("--import-paths", "let owners import files of this computer by path, wherever they sign in from")
    .option("--no-sync", "do not collect sources by itself")
    .option("--strict-log", "reject reads that cannot be written to the access log")
    .addOption(new Option("--log <format>", "print a line for each request on stdout").choices(["json"]));
  onRun(serving, async ({ options, out, location: chosen }: Call<ServeOptions>) => {
    // From the start, so that a server that is stopped while it starts closes its vault too.
    const stopRequested = waitForSignal();
    const metricsToken = readMetricsToken(process.env.PDPP_METRICS_TOKEN);
    const tls = readTlsFiles(options);
    const location = options.demo ? resolveDemoLocation(chosen, options) : chosen;
    // Report a vault that cannot be opened like every other command does.
    await withVault(location, async (store) => {
      for (const { name } of await listOwners(store))
        await unlockCredentials(openSourceCredentials(await openOwner(store, name), location));
    });
    const { serve } = await import("@pdpp/server/main");
    const { createImportService } = await import("@pdpp/importing/service/import-service");
    const { createSourceService } = await import("@pdpp/collecting/service/source-service");
    const { createSourceSignIn, listAddableConnectors } = await import("@pdpp/collecting/service/builtin-sources");
    const { dataDir, databaseUrl } = location;
    const openCredentials = (owner: OwnerApi) => openSourceCredentials(owner, location);
    const { importPaths, publicUrl, demo, strictLog, databaseReadUrl, allowedHost: allowedHosts } = options;
    if (databaseReadUrl && databaseUrl === undefined)
      throw new UsageError("--database-read-url needs --database-url, the database that it is a replica of");
    const starting = serve({
      ...location,
      port: options.port,
      host: options.host,
      clientQueries: options.clientQueries,
      onProgress: out.remark,
      imports: await createImportService(location),
      startCollecting: (parts) =>
        createSourceService({
          ...parts,
          dataDir,
          databaseUrl,
          env: process.env,
          isScheduled: options.sync,
          connectors: listAddableConnectors(),
          openCredentials,
          signIn: createSourceSignIn(dataDir, openCredentials),
        }),
      ...(options.log === undefined ? {} : { onRequestLine: printLine }),
      ...metricsToken,
      ...omitUndefined({ importPaths, publicUrl, demo, strictLog, allowedHosts, tls }),
    });
    const server = await starting.catch(async (error: unknown) => {
      throw (await describePortConflict(error, options)) ?? error;
    });
    const url = server.url.replace(/\/+$/, "");
    writeServerFile(location.dataDir, url, server.localUrl);
    const savedTo = server.demoToken === undefined ? undefined : saveDemo(out, url, server.demoToken);
    announce(out, {
      url,
      localUrl: server.localUrl,
      networkUrl: findNetworkUrl(url),
      signInUrl: server.signInUrl,
      again: formatSignInCommand(location, url, options),
      demoToken: server.demoToken,
      savedTo,
    });
    await stopRequested;
    removeServerFile(location.dataDir);
    // A port chosen for once is not a server to choose from later.
    if (savedTo !== undefined && url !== defaultProviderUrl) rmSync(savedTo, { force: true });
    await server.close();
  });
}

function readMetricsToken(token: string | undefined): { metricsToken?: string } {
  if (!token) return {};
  if (hasTokenForm(token)) return { metricsToken: token };
  throw new UsageError("PDPP_METRICS_TOKEN must have 16 to 512 printable characters without spaces");
}

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

/** The port is most often taken by another pdpp. */
async function describePortConflict(
  error: unknown,
  { port, host, demo }: ServeOptions,
): Promise<PdppError | undefined> {
  if (!(error instanceof PdppError) || getErrorCode(error.cause) !== "EADDRINUSE") return undefined;
  const other = `--port ${port < 65_535 ? port + 1 : port - 1}`;
  const started = demo ? ` (${demoCommand} ${other})` : "";
  const url = await findRunningServer(port, host);
  if (url === undefined) return new PdppError("unavailable", `${error.message}${started}`);
  return new PdppError("unavailable", `pdpp is already running at ${url}; stop it first, or add ${other}${started}`);
}

/** Names this vault in the command, since a link for another vault would not work. */
function formatSignInCommand({ dataDir }: StoreLocation, url: string, { demo, dataDir: named }: ServeOptions): string {
  const place = demo || named !== undefined ? ["--data-dir", quoteForShell(dataDir)] : [];
  return [
    `${commandName} sign-in`,
    ...place,
    ...(url === defaultProviderUrl ? [] : ["--url", quoteForShell(url)]),
  ].join(" ");
}

const resolveDemoLocation = (chosen: StoreLocation, { dataDir }: ServeOptions): StoreLocation =>
  dataDir || chosen.databaseUrl ? chosen : { dataDir: getDemoFolder(chosen) };

/** Lets an agent connect to the demo in one step. Never overwrites a real credential. */
function saveDemo(out: Output, url: string, accessToken: string): string | undefined {
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

interface Announcement {
  readonly url: string;
  /** Where programs of this computer reach it, if its address is another. */
  readonly localUrl: string | undefined;
  /** Where other devices reach it. */
  readonly networkUrl: string | undefined;
  readonly signInUrl: string;
  readonly again: string;
  readonly demoToken: string | undefined;
  readonly savedTo: string | undefined;
}

function announce(
  out: Output,
  { url, localUrl, networkUrl, signInUrl, again, demoToken, savedTo }: Announcement,
): void {
  const ready = {
    event: "ready",
    url,
    mcp_url: `${url}/mcp`,
    console_url: `${url}/`,
    local_url: localUrl,
    network_url: networkUrl,
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
        ["on a phone", networkUrl === undefined ? undefined : `${commandName} sign-in --url ${networkUrl}`],
        ...(demoToken === undefined ? [] : suggestCommands(url, demoToken, savedTo)),
        ["agents", savedTo === undefined ? undefined : suggestSetup(url)],
        ["demo token", demoToken],
        ["token file", savedTo],
      ]),
    );
  }
  if (networkUrl !== undefined) out.remark(`Anyone on your network can reach ${networkUrl}, and it is not encrypted.`);
  out.remark("Press Ctrl-C to stop.");
}

const suggestSetup = (url: string): string => {
  const chosen = url === defaultProviderUrl ? "" : ` --provider-url ${quoteForShell(url)}`;
  return `${commandName} setup claude-code --write${chosen} (other agents: ${commandName} setup)`;
};

/** Where other devices of the private network reach a server that listens on all addresses. */
function findNetworkUrl(url: string): string | undefined {
  const { hostname, port, protocol } = new URL(url);
  if (hostname !== "0.0.0.0" && hostname !== "[::]") return undefined;
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const address = own.find((each) => each.family === "IPv4" && !each.internal && isOwnNetwork(each.address))?.address;
  return address === undefined ? undefined : `${protocol}//${address}:${port}`;
}

/** Commands to try in another terminal; a saved token does not have to be passed. */
function suggestCommands(url: string, token: string, savedTo: string | undefined): [string, string][] {
  const kept = savedTo !== undefined;
  const read = kept ? `${commandName} read` : `PDPP_ACCESS_TOKEN=${token} ${commandName} read`;
  const isDefault = kept && url === defaultProviderUrl;
  return [
    ["try", `${read} search ${isDefault ? "" : `${url} `}"gutter thermostat"`],
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
