import { commandName } from "./command-name.ts";
/** The agents we support and how to configure each. Console and CLI both use this list. */

export type AgentKey =
  | "claude-code"
  | "claude-desktop"
  | "codex"
  | "gemini-cli"
  | "opencode"
  | "copilot"
  | "cline"
  | "goose"
  | "cursor"
  | "vscode";

export type ConfigFormat = "json" | "jsonc" | "toml" | "yaml";

/** The server name in an agent's configuration. */
export const defaultServerName = "pdpp";

/** The command that starts the adapter, independent of the working directory. */
export interface AdapterStart {
  readonly command: string;
  readonly args: readonly string[];
}

type Entry = Record<string, unknown>;

export interface KnownAgent {
  readonly key: AgentKey;
  readonly title: string;
  readonly format: ConfigFormat;
  /** Path of its configuration file, as shown to people. */
  readonly place: string;
  /** The key that holds the list of servers. */
  readonly section: string;
  readonly entry: (start: AdapterStart) => Entry;
  /** The entry for a hosted server, and how to sign in. */
  readonly hosted?: {
    readonly entry: (url: string) => Entry;
    /** The entry with a token the owner created by hand, so no sign-in is needed. */
    readonly withToken: (url: string, headers: Readonly<Record<string, string>>) => Entry;
    readonly signIn: string;
    /** Its own command that adds a hosted server, on one line; most agents have none. */
    readonly addCommand?: (url: string) => string;
  };
  /** How to check that it works. */
  readonly check: string;
}

const plain = ({ command, args }: AdapterStart) => ({ command, args });
const typed = ({ command, args }: AdapterStart) => ({ type: "stdio", command, args });

const byUrl = (url: string) => ({ url });
const byHttp = (url: string) => ({ type: "http", url });

const goose = (way: Entry) => ({ enabled: true, name: defaultServerName, ...way, envs: {}, timeout: 300 });

export const knownAgents: readonly KnownAgent[] = [
  {
    key: "claude-code",
    title: "Claude Code",
    format: "json",
    place: "~/.claude.json",
    section: "mcpServers",
    entry: typed,
    hosted: {
      entry: byHttp,
      withToken: (url, headers) => ({ ...byHttp(url), headers }),
      signIn: "claude mcp login pdpp",
      addCommand: (url) => `claude mcp add --scope user --transport http ${defaultServerName} ${url}`,
    },
    check: "claude mcp get pdpp",
  },
  {
    key: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    place: "claude_desktop_config.json: Settings, Developer, Edit Config",
    section: "mcpServers",
    entry: plain,
    check: "restart Claude Desktop; the + below a chat lists pdpp under Connectors",
  },
  {
    key: "codex",
    title: "Codex",
    format: "toml",
    place: "~/.codex/config.toml",
    section: "mcp_servers",
    entry: plain,
    hosted: {
      entry: byUrl,
      withToken: (url, headers) => ({ url, http_headers: headers }),
      signIn: "codex mcp login pdpp",
      addCommand: (url) => `codex mcp add ${defaultServerName} --url ${url}`,
    },
    check: "codex mcp get pdpp",
  },
  {
    key: "gemini-cli",
    title: "Gemini CLI",
    format: "jsonc",
    place: "~/.gemini/settings.json",
    section: "mcpServers",
    entry: plain,
    hosted: {
      entry: (httpUrl) => ({ httpUrl }),
      withToken: (httpUrl, headers) => ({ httpUrl, headers }),
      signIn: "/mcp auth pdpp, in gemini",
      addCommand: (url) => `gemini mcp add --transport http ${defaultServerName} ${url}`,
    },
    check: "gemini mcp list",
  },
  {
    key: "opencode",
    title: "opencode",
    format: "jsonc",
    place: "~/.config/opencode/opencode.json",
    section: "mcp",
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
    hosted: {
      entry: (url) => ({ type: "remote", url, enabled: true }),
      withToken: (url, headers) => ({ type: "remote", url, enabled: true, oauth: false, headers }),
      signIn: "opencode mcp auth pdpp",
    },
    check: "opencode mcp list",
  },
  {
    key: "copilot",
    title: "GitHub Copilot CLI",
    format: "json",
    place: "~/.copilot/mcp-config.json",
    section: "mcpServers",
    entry: ({ command, args }) => ({ type: "local", command, args, tools: ["*"] }),
    hosted: {
      entry: (url) => ({ type: "http", url, tools: ["*"] }),
      withToken: (url, headers) => ({ type: "http", url, headers, tools: ["*"] }),
      signIn: "start copilot; it asks by itself",
    },
    check: "/mcp show pdpp, in copilot",
  },
  {
    key: "cline",
    title: "Cline",
    format: "json",
    place: "~/.cline/data/settings/cline_mcp_settings.json",
    section: "mcpServers",
    entry: ({ command, args }) => ({ transport: { type: "stdio", command, args } }),
    hosted: {
      entry: (url) => ({ transport: { type: "streamableHttp", url } }),
      withToken: (url, headers) => ({ transport: { type: "streamableHttp", url, headers } }),
      signIn: "cline mcp, then Authorize OAuth",
    },
    check: "cline mcp",
  },
  {
    key: "goose",
    title: "goose",
    format: "yaml",
    place: "~/.config/goose/config.yaml",
    section: "extensions",
    entry: ({ command, args }) => goose({ type: "stdio", cmd: command, args }),
    hosted: {
      entry: (uri) => goose({ type: "streamable_http", uri }),
      withToken: (uri, headers) => goose({ type: "streamable_http", uri, headers }),
      signIn: "start goose; it asks by itself",
    },
    check: "goose configure lists pdpp among the extensions",
  },
  {
    key: "cursor",
    title: "Cursor",
    format: "json",
    place: "~/.cursor/mcp.json",
    section: "mcpServers",
    entry: typed,
    hosted: {
      entry: byUrl,
      withToken: (url, headers) => ({ url, headers }),
      signIn: "Cursor Settings, MCP tools, sign in next to pdpp",
    },
    check: "Cursor Settings lists pdpp among the MCP tools",
  },
  {
    key: "vscode",
    title: "VS Code",
    format: "jsonc",
    place: "mcp.json: the command MCP: Open User Configuration",
    section: "servers",
    entry: typed,
    hosted: {
      entry: byHttp,
      withToken: (url, headers) => ({ ...byHttp(url), headers }),
      signIn: "the command MCP: List Servers, start pdpp; it asks by itself",
      addCommand: (url) => `code --add-mcp '${JSON.stringify({ name: defaultServerName, ...byHttp(url) })}'`,
    },
    check: "the command MCP: List Servers, in VS Code",
  },
];

/** ChatGPT connects only to public servers, and only through OAuth. */
export const chatGpt = {
  title: "ChatGPT",
  steps: "Settings, Apps & Connectors, add one with that address; it sends you to a page where you decide",
  needs: "a public https address",
} as const;

/** One line for a terminal on the agent's computer: the agent's own command, or ours, which writes its configuration. */
export function formatAddCommand({ key, hosted }: KnownAgent, origin: string): string {
  if (hosted?.addCommand !== undefined) return hosted.addCommand(`${origin}/mcp`);
  const setUp = `${commandName} setup ${key} --write --provider-url ${origin}`;
  return hosted === undefined ? `${commandName} connect ${origin} && ${setUp}` : setUp;
}
