import { posix, win32 } from "node:path";
import { defaultServerName, type Start } from "./start.ts";

/** The agents we know: which file each reads, in which format, and what has to be in it. */

interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Format = "json" | "jsonc" | "toml" | "yaml";

export interface AgentClient {
  readonly key: string;
  readonly title: string;
  readonly format: Format;
  /** The files it reads for every folder, best first; the first that exists is used, else the first. */
  readonly files: (place: Place) => string[];
  /** The same for one project, relative to its folder. */
  readonly projectFiles?: readonly string[];
  /** Under which key the servers are. */
  readonly section: string;
  readonly entry: (start: Start) => Record<string, unknown>;
  /** What is there instead when it signs in by itself, and how a person has it do so. */
  readonly hosted?: { readonly entry: (url: string) => Record<string, unknown>; readonly signIn: string };
  /** How a person sees that it works. */
  readonly check: string;
}

const pathOf = ({ platform }: Place) => (platform === "win32" ? win32 : posix);

/** Below the home, the same on every platform; a variable may name another folder in place of the first part. */
const inHome =
  (...parts: string[]) =>
  (place: Place): string[] => [pathOf(place).join(place.home, ...parts)];

const inFolderOf =
  (variable: string, folder: string, ...parts: string[]) =>
  (place: Place): string[] => [
    pathOf(place).join(place.env[variable] || pathOf(place).join(place.home, folder), ...parts),
  ];

/** Where desktop programs keep their settings. */
function appData(place: Place): string {
  const { join } = pathOf(place);
  if (place.platform === "darwin") return join(place.home, "Library", "Application Support");
  if (place.platform === "win32") return place.env.APPDATA || join(place.home, "AppData", "Roaming");
  return xdgConfig(place);
}

const xdgConfig = (place: Place): string => place.env.XDG_CONFIG_HOME || pathOf(place).join(place.home, ".config");

const plain = ({ command, args }: Start) => ({ command, args });
const typed = ({ command, args }: Start) => ({ type: "stdio", command, args });

const byUrl = (url: string) => ({ url });
const byHttp = (url: string) => ({ type: "http", url });

export const agentClients: readonly AgentClient[] = [
  {
    key: "claude-code",
    title: "Claude Code",
    format: "json",
    files: (place) => [pathOf(place).join(place.env.CLAUDE_CONFIG_DIR || place.home, ".claude.json")],
    projectFiles: [".mcp.json"],
    section: "mcpServers",
    entry: typed,
    hosted: { entry: byHttp, signIn: "claude mcp login pdpp" },
    check: "claude mcp get pdpp",
  },
  {
    key: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    files: (place) => [pathOf(place).join(appData(place), "Claude", "claude_desktop_config.json")],
    section: "mcpServers",
    entry: plain,
    check: "restart Claude Desktop; the + below a chat lists pdpp under Connectors",
  },
  {
    key: "codex",
    title: "Codex",
    format: "toml",
    files: inFolderOf("CODEX_HOME", ".codex", "config.toml"),
    projectFiles: [".codex/config.toml"],
    section: "mcp_servers",
    entry: plain,
    hosted: { entry: byUrl, signIn: "codex mcp login pdpp" },
    check: "codex mcp get pdpp",
  },
  {
    key: "gemini-cli",
    title: "Gemini CLI",
    format: "jsonc",
    files: inHome(".gemini", "settings.json"),
    projectFiles: [".gemini/settings.json"],
    section: "mcpServers",
    entry: plain,
    hosted: { entry: (httpUrl) => ({ httpUrl }), signIn: "/mcp auth pdpp, in gemini" },
    check: "gemini mcp list",
  },
  {
    key: "opencode",
    title: "opencode",
    format: "jsonc",
    files: (place) =>
      ["opencode.json", "opencode.jsonc"].map((name) => pathOf(place).join(xdgConfig(place), "opencode", name)),
    projectFiles: ["opencode.json", "opencode.jsonc"],
    section: "mcp",
    entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
    hosted: { entry: (url) => ({ type: "remote", url, enabled: true }), signIn: "opencode mcp auth pdpp" },
    check: "opencode mcp list",
  },
  {
    key: "copilot",
    title: "GitHub Copilot CLI",
    format: "json",
    files: inFolderOf("COPILOT_HOME", ".copilot", "mcp-config.json"),
    projectFiles: [".mcp.json"],
    section: "mcpServers",
    entry: ({ command, args }) => ({ type: "local", command, args, tools: ["*"] }),
    hosted: {
      entry: (url) => ({ type: "http", url, tools: ["*"] }),
      signIn: "start copilot; it asks by itself",
    },
    check: "/mcp show pdpp, in copilot",
  },
  {
    key: "cline",
    title: "Cline",
    format: "json",
    files: (place) =>
      place.env.CLINE_MCP_SETTINGS_PATH
        ? [place.env.CLINE_MCP_SETTINGS_PATH]
        : inHome(".cline", "data", "settings", "cline_mcp_settings.json")(place),
    section: "mcpServers",
    entry: ({ command, args }) => ({ transport: { type: "stdio", command, args } }),
    hosted: {
      entry: (url) => ({ transport: { type: "streamableHttp", url } }),
      signIn: "cline mcp, then Authorize OAuth",
    },
    check: "cline mcp",
  },
  {
    key: "goose",
    title: "goose",
    format: "yaml",
    files: (place) =>
      place.platform === "win32"
        ? [win32.join(appData(place), "Block", "goose", "config", "config.yaml")]
        : [posix.join(xdgConfig(place), "goose", "config.yaml")],
    section: "extensions",
    entry: ({ command, args }) => ({
      enabled: true,
      name: defaultServerName,
      type: "stdio",
      cmd: command,
      args,
      envs: {},
      timeout: 300,
    }),
    hosted: {
      entry: (uri) => ({
        enabled: true,
        name: defaultServerName,
        type: "streamable_http",
        uri,
        envs: {},
        timeout: 300,
      }),
      signIn: "start goose; it asks by itself",
    },
    check: "goose configure lists pdpp among the extensions",
  },
  {
    key: "cursor",
    title: "Cursor",
    format: "json",
    files: inHome(".cursor", "mcp.json"),
    projectFiles: [".cursor/mcp.json"],
    section: "mcpServers",
    entry: typed,
    hosted: { entry: byUrl, signIn: "Cursor Settings, MCP tools, sign in beside pdpp" },
    check: "Cursor Settings lists pdpp among the MCP tools",
  },
  {
    key: "vscode",
    title: "VS Code",
    format: "jsonc",
    files: (place) => [pathOf(place).join(appData(place), "Code", "User", "mcp.json")],
    projectFiles: [".vscode/mcp.json"],
    section: "servers",
    entry: typed,
    hosted: { entry: byHttp, signIn: "the command MCP: List Servers, start pdpp; it asks by itself" },
    check: "the command MCP: List Servers, in VS Code",
  },
];
