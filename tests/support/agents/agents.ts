import { join } from "node:path";

/** How real agents install our files and are asked something, without a person and without a network. */

export interface AgentPlace {
  /** The folder of an npm installation of this agent. */
  readonly installed: string;
  /** What `npm run shelves` wrote. */
  readonly shelves: string;
  readonly home: string;
  readonly modelUrl: string;
  /** Runs pdpp, as the first words of a command. */
  readonly pdpp: readonly string[];
}

export interface Agent {
  readonly name: string;
  /** The package on npm and the version that this was written for. */
  readonly package: string;
  readonly file: string;
  env?(place: AgentPlace): Readonly<Record<string, string>>;
  /** Files of the agent itself: which model it asks. */
  files?(place: AgentPlace): Readonly<Record<string, string>>;
  /** Commands that install our files. `agent` stands for the agent's own program. */
  install(place: AgentPlace): readonly (readonly string[])[];
  ask(prompt: string): readonly string[];
}

const key = "scripted";

export const agents: readonly Agent[] = [
  {
    name: "claude",
    package: "@anthropic-ai/claude-code@2.1.325",
    file: "node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    env: ({ modelUrl }) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    install: ({ shelves }) => [
      ["agent", "plugin", "validate", join(shelves, "marketplace"), "--strict"],
      ["agent", "plugin", "validate", join(shelves, "marketplace/plugins/pdpp"), "--strict"],
      ["agent", "plugin", "marketplace", "add", join(shelves, "marketplace")],
      ["agent", "plugin", "install", "pdpp@pdpp"],
    ],
    ask: (prompt) => ["-p", prompt, "--model", "claude-sonnet-4-5", "--allowedTools", "mcp__plugin_pdpp_pdpp"],
  },
  {
    name: "codex",
    package: "@openai/codex@0.166.0",
    file: "node_modules/@openai/codex/bin/codex.js",
    env: () => ({ SCRIPTED_KEY: key }),
    files: ({ home, modelUrl }) => ({
      [join(home, ".codex/config.toml")]: [
        'model = "scripted"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${modelUrl}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "",
      ].join("\n"),
    }),
    install: ({ shelves }) => [
      ["agent", "plugin", "marketplace", "add", join(shelves, "marketplace")],
      ["agent", "plugin", "add", "pdpp@pdpp", "--json"],
    ],
    ask: (prompt) => ["exec", "--skip-git-repo-check", "--json", prompt],
  },
  {
    name: "gemini",
    package: "@google/gemini-cli@0.61.0",
    file: "node_modules/@google/gemini-cli/bundle/gemini.js",
    env: ({ modelUrl }) => ({
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: modelUrl,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    files: ({ home }) => ({
      [join(home, ".gemini/settings.json")]: JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    install: ({ shelves }) => [
      ["agent", "extensions", "validate", join(shelves, "gemini-extension")],
      ["agent", "extensions", "install", join(shelves, "gemini-extension"), "--consent", "--skip-settings"],
    ],
    ask: (prompt) => ["-p", prompt, "-m", "gemini-2.5-pro", "--approval-mode", "yolo"],
  },
  {
    name: "goose",
    package: "@aaif/goose-binary-linux-x64@1.52.0",
    file: "node_modules/@aaif/goose-binary-linux-x64/bin/goose",
    env: ({ modelUrl }) => ({
      GOOSE_PROVIDER: "openai",
      GOOSE_MODEL: "gpt-4o",
      OPENAI_HOST: modelUrl,
      OPENAI_API_KEY: key,
      GOOSE_DISABLE_KEYRING: "1",
      GOOSE_TELEMETRY_ENABLED: "false",
      GOOSE_MODE: "smart_approve",
    }),
    install: ({ pdpp }) => [[...pdpp, "setup", "goose", "--write"]],
    ask: (prompt) => ["run", "--no-session", "-t", prompt],
  },
];
