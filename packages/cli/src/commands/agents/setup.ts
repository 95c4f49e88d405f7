import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { chatGpt, defaultServerName } from "@pdpp/contract/agent-clients";
import { toPagesUrl } from "@pdpp/server/pages-url";
import type { Command } from "commander";
import { getHome } from "../../credentials/credential-file.ts";
import { findClientCredential } from "../../credentials/credentials.ts";
import { getEncryptionWarning } from "../../credentials/provider-url.ts";
import { checkToken } from "../../doctor/client-checks.ts";
import { formatProperties, formatTable } from "../../render/terminal/table.ts";
import { addCommand, type Call, onRun } from "../../runtime/command.ts";
import { CredentialError, UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import { type AgentClient, agentClients } from "../../setup/clients.ts";
import { describeHostedSetup } from "../../setup/hosted.ts";
import { formatSnippet } from "../../setup/merge.ts";
import { buildStartCommand } from "../../setup/start.ts";
import { writeEntry } from "../../setup/write.ts";

interface SetupFlags {
  readonly write?: boolean;
  readonly project?: boolean;
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
}

const others = [
  { key: "chatgpt", title: chatGpt.title },
  { key: "generic", title: "any other agent that starts MCP servers" },
];

export function addSetup(program: Command): void {
  const setup = addCommand(program, "setup [client]", "Connect an agent: shows its configuration, or writes it", [
    "pdpp setup",
    "pdpp setup claude-code",
    "pdpp setup claude-code --write",
    "pdpp setup cursor --write --project",
  ])
    .option("--write", "put it into the agent's configuration file")
    .option("--project", "for the project in this folder only")
    .option("--provider-url <url>", "the server to read from (default: the one there is a credential for)")
    .option("--cache-root <dir>", "where the credential is (default: ~/.pdpp)");
  onRun(setup, async ({ options, out }: Call<SetupFlags>, key: string | undefined) => {
    if (key === undefined) return listAgents(out);
    if (key === "chatgpt") return showHosted(out, options);
    const client = agentClients.find((known) => known.key === key);
    if (client === undefined && key !== "generic") {
      throw new UsageError(`unknown agent ${JSON.stringify(key)}; choose one of: ${listKeys().join(", ")}`);
    }
    const start = buildStartCommand({ ...options, env: process.env });
    const missing = await describeMissingCredential(out, options, start.providerUrl);
    if (client?.hosted !== undefined && missing !== undefined) {
      setUpSignIn(out, options, client, client.hosted, start.providerUrl);
      return;
    }
    if (client === undefined) showGeneric(out, options, start);
    else setUpLocalAgent(out, options, client, { value: client.entry(start), providerUrl: start.providerUrl });
    if (options.project)
      out.remark("the file has paths of this machine in it: keep it out of the project's repository");
    if (missing !== undefined) out.remark(`before the agent can read: ${missing}`);
  });
}

const listKeys = (): string[] => [...agentClients, ...others].map(({ key }) => key);

function listAgents(out: Output): void {
  const data = [...agentClients, ...others].map(({ key, title }) => ({ client: key, title }));
  out.result({ object: "list", data }, (style) =>
    formatTable(
      style,
      ["CLIENT", "AGENT"],
      data.map(({ client, title }) => [client, title]),
    ),
  );
  out.remark("next: pdpp setup CLIENT --write");
}

type Start = ReturnType<typeof buildStartCommand>;

/** Nobody has given a token for that server: the agent asks the owner itself. */
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
  const signing = signIn === undefined ? {} : { sign_in: signIn };
  const head = { object: "setup", client: key, path, format, provider_url: providerUrl, ...signing };
  if (options.write) {
    const { status, backup } = writeEntry(path, format, entry);
    const document = { ...head, status, ...(backup === undefined ? {} : { backup }), check };
    const done = {
      created: "configured, in a new file",
      updated: "configured",
      unchanged: "configured already",
    };
    out.result(document, (style) =>
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
        [title, "reads this"],
        ["file", path],
        ["sign in", signIn],
        ["check", check],
      ]),
      snippet,
    ].join("\n\n"),
  );
  out.remark(`to write it there: pdpp setup ${key} --write${options.project ? " --project" : ""}`);
}

function findConfigFile({ title, files, projectFiles }: AgentClient, project: boolean): string {
  const { platform, env } = process;
  const names = project ? projectFiles : files({ platform, env, home: getHome(env) });
  const [first, ...others] = (names ?? []).map((name) => resolve(name));
  if (first === undefined) throw new UsageError(`${title} has no configuration for one project; leave --project out`);
  return [first, ...others].find((path) => existsSync(path)) ?? first;
}

function showGeneric(out: Output, options: SetupFlags, { command: program, args, providerUrl }: Start): void {
  rejectWriteFlags(options, "where your agent keeps its configuration is not known");
  const entry = { section: "mcpServers", name: defaultServerName, value: { command: program, args } };
  const snippet = formatSnippet("json", entry);
  const document = { object: "setup", client: "generic", format: "json", provider_url: providerUrl };
  out.result({ ...document, status: "shown", snippet, command: program, args }, () => snippet);
  out.remark(
    "put it where your agent keeps its MCP servers; it starts the command and talks to it on stdin and stdout",
  );
}

function showHosted(out: Output, options: SetupFlags): void {
  rejectWriteFlags(options, "ChatGPT is set up in its own settings");
  const path = describeHostedSetup(options.providerUrl || process.env.PDPP_PROVIDER_URL);
  out.result({ object: "setup", client: "chatgpt", ...path }, (style) =>
    formatProperties(style, [
      ["ChatGPT", path.ready ? "ready" : "not yet possible"],
      ["address", path.mcp_url],
      ...path.missing.map((text): [string, string] => ["missing", text]),
      ["then", path.next],
    ]),
  );
}

function rejectWriteFlags({ write, project }: SetupFlags, reason: string): void {
  const flag = write ? "--write" : project ? "--project" : undefined;
  if (flag !== undefined) throw new UsageError(`${reason}; leave ${flag} out`);
}

/**
 * What is wrong with the credential that the adapter would use, and what to do about it. One that the server refuses is of another vault that
 * was served there, or of a grant that has ended; a server that does not answer now says nothing of it.
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
