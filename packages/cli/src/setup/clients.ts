import { posix, win32 } from "node:path";
import { type AgentKey, type ConfigFormat, type KnownAgent, knownAgents } from "@pdpp/agent-setup/known-agents";
import type { OwnCommand } from "./own-command.ts";

/** Which file each of the agents that we know reads, on this machine. */

interface Place {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type Format = ConfigFormat;

interface Files {
  /** The files it reads for every folder, best first; the first that exists is used, else the first. */
  readonly files: (place: Place) => string[];
  /** Paths for one project, relative to its folder. */
  readonly projectFiles?: readonly string[];
  readonly own?: OwnCommand;
}

export type AgentClient = KnownAgent & Files;

const getPathModule = ({ platform }: Place) => (platform === "win32" ? win32 : posix);

const resolveInHome =
  (...parts: string[]) =>
  (place: Place): string[] => [getPathModule(place).join(place.home, ...parts)];

const resolveInFolder =
  (variable: string, folder: string, ...parts: string[]) =>
  (place: Place): string[] => [
    getPathModule(place).join(place.env[variable] || getPathModule(place).join(place.home, folder), ...parts),
  ];

/** Where programs keep their settings. */
export function getAppDataFolder(place: Place): string {
  const { join } = getPathModule(place);
  if (place.platform === "darwin") return join(place.home, "Library", "Application Support");
  if (place.platform === "win32") return place.env.APPDATA || join(place.home, "AppData", "Roaming");
  return getConfigFolder(place);
}

const getConfigFolder = (place: Place): string =>
  place.env.XDG_CONFIG_HOME || getPathModule(place).join(place.home, ".config");

const filesOf: Readonly<Record<AgentKey, Files>> = {
  "claude-code": {
    files: (place) => [getPathModule(place).join(place.env.CLAUDE_CONFIG_DIR || place.home, ".claude.json")],
    projectFiles: [".mcp.json"],
    own: {
      program: "claude",
      add: ({ name, value }, scope) => ["mcp", "add-json", "--scope", scope, name, JSON.stringify(value)],
      remove: ({ name }, scope) => ["mcp", "remove", "--scope", scope, name],
    },
  },
  "claude-desktop": {
    files: (place) => [getPathModule(place).join(getAppDataFolder(place), "Claude", "claude_desktop_config.json")],
  },
  codex: { files: resolveInFolder("CODEX_HOME", ".codex", "config.toml"), projectFiles: [".codex/config.toml"] },
  "gemini-cli": { files: resolveInHome(".gemini", "settings.json"), projectFiles: [".gemini/settings.json"] },
  opencode: {
    files: (place) =>
      ["opencode.json", "opencode.jsonc"].map((name) =>
        getPathModule(place).join(getConfigFolder(place), "opencode", name),
      ),
    projectFiles: ["opencode.json", "opencode.jsonc"],
  },
  copilot: { files: resolveInFolder("COPILOT_HOME", ".copilot", "mcp-config.json"), projectFiles: [".mcp.json"] },
  cline: {
    files: (place) =>
      place.env.CLINE_MCP_SETTINGS_PATH
        ? [place.env.CLINE_MCP_SETTINGS_PATH]
        : resolveInHome(".cline", "data", "settings", "cline_mcp_settings.json")(place),
  },
  goose: {
    files: (place) =>
      place.platform === "win32"
        ? [win32.join(getAppDataFolder(place), "Block", "goose", "config", "config.yaml")]
        : [posix.join(getConfigFolder(place), "goose", "config.yaml")],
  },
  cursor: { files: resolveInHome(".cursor", "mcp.json"), projectFiles: [".cursor/mcp.json"] },
  vscode: {
    files: (place) => [getPathModule(place).join(getAppDataFolder(place), "Code", "User", "mcp.json")],
    projectFiles: [".vscode/mcp.json"],
  },
};

export const agentClients: readonly AgentClient[] = knownAgents.map((agent) => ({ ...agent, ...filesOf[agent.key] }));
