import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { chatGpt, defaultServerName } from "@pdpp/agent-setup/known-agents";
import { toPagesUrl } from "@pdpp/server/pages-url";
import type { Command } from "commander";
import { getHome } from "../../credentials/credential-file.ts";
import { findClientCredential } from "../../credentials/credentials.ts";
import { getEncryptionWarning } from "../../credentials/provider-url.ts";
import { checkToken } from "../../doctor/client-checks.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { quoteForShell } from "../../render/continuation.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import { addTopCommand, type Call, onRun, type VaultLocation } from "../../runtime/command.ts";
import { CredentialError, UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { type AgentClient, agentClients } from "../../setup/clients.ts";
import { describeHostedSetup } from "../../setup/hosted.ts";
import { formatSnippet } from "../../setup/merge.ts";
import { buildStartCommand } from "../../setup/start.ts";
import { deleteEntry, writeEntry } from "../../setup/write.ts";

interface SetupFlags {
  readonly write?: boolean;
  readonly remove?: boolean;
  readonly project?: boolean;
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
}

const others = [
  { key: "chatgpt", title: chatGpt.title },
  { key: "generic", title: "any other agent that supports MCP" },
];

export function addSetup(program: Command): void {
  const setup = addTopCommand(program, "setup [client]", [
    "pdpp setup",
    "pdpp setup claude-code",
    "pdpp setup claude-code --write",
    "pdpp setup cursor --write --project",
    "pdpp setup claude-code --remove",
  ])
    .option("--write", "write it to the agent's configuration file")
    .option("--remove", "remove it from the agent's configuration file")
    .option("--project", "only for the project in this folder")
    .option(
      "--provider-url <url>",
      "server to read from (default: the one that serves your vault, else the one with a saved credential)",
    )
    .option("--cache-root <dir>", "folder with the credential (default: ~/.pdpp)");
  onRun(setup, async ({ options, out, location }: Call<SetupFlags>, key: string | undefined) => {
    if (key === undefined) return listAgents(out);
    if (key === "chatgpt") return showHosted(out, options);
    const client = agentClients.find((known) => known.key === key);
    if (client === undefined && key !== "generic") {
      throw new UsageError(`unknown agent ${JSON.stringify(key)}; choose one of: ${listKeys().join(", ")}`);
    }
    if (options.remove) return removeFromAgent(out, options, client);
    const start = buildStartCommand({ ...options, ...(await findOwnServer(options, location)), env: process.env });
    const missing = await describeMissingCredential(out, options, start.providerUrl);
    if (client?.hosted !== undefined && missing !== undefined) {
      setUpSignIn(out, options, client, client.hosted, start.providerUrl);
      return;
    }
    if (client === undefined) showGeneric(out, options, start);
    else setUpLocalAgent(out, options, client, { value: client.entry(start), providerUrl: start.providerUrl });
    if (options.project) out.remark("The file contains paths of this machine. Do not commit it.");
    if (missing !== undefined) out.remark(`Before the agent can read: ${missing}`);
  });
}

/** The server of this vault, if it runs, comes before a credential saved for another one. */
async function findOwnServer({ providerUrl }: SetupFlags, { dataDir }: VaultLocation) {
  const isChosen = providerUrl !== undefined || Boolean(process.env.PDPP_PROVIDER_URL);
  const running = isChosen ? undefined : await findVaultServer(dataDir);
  return running === undefined ? {} : { providerUrl: running };
}

const listKeys = (): string[] => [...agentClients, ...others].map(({ key }) => key);

function listAgents(out: Output): void {
  const data = [...agentClients, ...others].map(({ key, title }) => ({ client: key, title }));
  out.list(data, "", { CLIENT: ({ client }) => client, AGENT: ({ title }) => title });
  out.remark(`Next: ${commandName} setup CLIENT --write`);
}

type Start = ReturnType<typeof buildStartCommand>;

/** Without a saved token the agent signs in by itself. */
function setUpSignIn(
  out: Output,
  options: SetupFlags,
  client: AgentClient,
  { entry, signIn }: NonNullable<AgentClient["hosted"]>,
  providerUrl: string,
): void {
  const url = `${toPagesUrl(providerUrl)}/mcp`;
  setUpLocalAgent(out, options, client, { value: entry(url), providerUrl, signIn });
  const warning = getEncryptionWarning(providerUrl);
  if (warning !== undefined) out.remark(`warning: ${warning}`);
}

interface Configured {
  readonly value: Record<string, unknown>;
  readonly providerUrl: string;
  readonly signIn?: string;
}

function setUpLocalAgent(
  out: Output,
  options: SetupFlags,
  client: AgentClient,
  { value, providerUrl, signIn }: Configured,
): void {
  const { key, title, format, section, check } = client;
  const path = findConfigFile(client, options.project === true);
  const entry = { section, name: defaultServerName, value };
  const head = { object: "setup", client: key, path, format, provider_url: providerUrl, sign_in: signIn };
  if (options.write) {
    const { status, backup } = writeEntry(path, client, entry, chooseScope(options));
    const done = { created: "configured (new file)", updated: "configured", unchanged: "already configured" };
    out.result({ ...head, status, backup, check }, (style) =>
      formatProperties(style, [
        [title, done[status]],
        ["file", path],
        ["backup", backup],
        ["sign in", signIn],
        ["check", check],
      ]),
    );
    return;
  }
  const snippet = formatSnippet(format, entry);
  out.result({ ...head, status: "shown", snippet, check }, (style) =>
    [
      formatProperties(style, [
        [title, "add this to its configuration"],
        ["file", path],
        ["sign in", signIn],
        ["check", check],
      ]),
      snippet,
    ].join("\n\n"),
  );
  const { project, providerUrl: chosen, cacheRoot } = options;
  const flags = [
    ...(project ? ["--project"] : []),
    ...(chosen === undefined ? [] : ["--provider-url", quoteForShell(chosen)]),
    ...(cacheRoot === undefined ? [] : ["--cache-root", quoteForShell(cacheRoot)]),
  ];
  out.remark([`To write it: ${commandName} setup`, key, "--write", ...flags].join(" "));
}

function removeFromAgent(out: Output, options: SetupFlags, client: AgentClient | undefined): void {
  if (options.write) throw new UsageError("choose --write or --remove");
  if (client === undefined)
    throw new UsageError("pdpp does not know where your agent keeps its configuration; drop --remove");
  const { key, title, format, section } = client;
  const path = findConfigFile(client, options.project === true);
  const backup = deleteEntry(path, client, { section, name: defaultServerName }, chooseScope(options));
  const status = backup === undefined ? "absent" : "removed";
  out.result({ object: "setup", client: key, path, format, status, backup }, (style) =>
    formatProperties(style, [
      [title, backup === undefined ? "was not configured" : "no longer configured"],
      ["file", path],
      ["backup", backup],
    ]),
  );
}

const chooseScope = ({ project }: SetupFlags) => (project === true ? "project" : "user");

function findConfigFile({ title, files, projectFiles }: AgentClient, project: boolean): string {
  const { platform, env } = process;
  const names = project ? projectFiles : files({ platform, env, home: getHome(env) });
  const [first, ...others] = (names ?? []).map((name) => resolve(name));
  if (first === undefined) throw new UsageError(`${title} has no per-project configuration; drop --project`);
  return [first, ...others].find((path) => existsSync(path)) ?? first;
}

function showGeneric(out: Output, options: SetupFlags, { command: program, args, providerUrl }: Start): void {
  rejectWriteFlags(options, "pdpp does not know where your agent keeps its configuration");
  const entry = { section: "mcpServers", name: defaultServerName, value: { command: program, args } };
  const snippet = formatSnippet("json", entry);
  const document = { object: "setup", client: "generic", format: "json", provider_url: providerUrl };
  out.result({ ...document, status: "shown", snippet, command: program, args }, () => snippet);
  out.remark("Add it to your agent's MCP servers. The agent starts the command and talks to it over stdio.");
}

function showHosted(out: Output, options: SetupFlags): void {
  rejectWriteFlags(options, "ChatGPT is configured in its own settings");
  const path = describeHostedSetup(options.providerUrl || process.env.PDPP_PROVIDER_URL);
  out.result({ object: "setup", client: "chatgpt", ...path }, (style) =>
    formatProperties(style, [
      ["ChatGPT", path.ready ? "ready" : "not ready"],
      ["address", path.mcp_url],
      ...path.missing.map((text): [string, string] => ["missing", text]),
      ["then", path.next],
    ]),
  );
}

function rejectWriteFlags({ write, remove, project }: SetupFlags, reason: string): void {
  const flag = write ? "--write" : remove ? "--remove" : project ? "--project" : undefined;
  if (flag !== undefined) throw new UsageError(`${reason}; drop ${flag}`);
}

/**
 * Describes what is wrong with the adapter's credential and how to fix it. A rejected credential belongs to another vault or to a grant
 * that has ended; an unreachable server proves nothing.
 */
async function describeMissingCredential(
  out: Output,
  { cacheRoot }: SetupFlags,
  providerUrl: string,
): Promise<string | undefined> {
  // A token in this shell's environment will not be in the agent's.
  const { PDPP_ACCESS_TOKEN: _ours, ...env } = process.env;
  try {
    const credential = findClientCredential({
      providerUrl,
      cacheRoot,
      env,
      warn: (text) => out.remark(`warning: ${text}`),
    });
    const { state, detail, advice } = await checkToken(credential);
    return state === "failed" ? `${credential.from}: ${detail}\n${advice}` : undefined;
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return `${error.message}\n${error.details.next_step}`;
  }
}
