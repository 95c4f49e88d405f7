import { readFileSync } from "node:fs";
import { buildRegistryName } from "../pack/registry-name.ts";
import {
  author,
  category,
  keywords,
  license,
  longDescription,
  name,
  oldestNode,
  programFile,
  programFolder,
  settings,
  skillName,
  skillText,
  summary,
  version,
} from "./description.ts";

/** Files by their path in the shelf's folder. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Marketplaces want a square PNG of 512 pixels or more. It is the console's icon.svg. */
const icon: Uint8Array = readFileSync(new URL("./icon.png", import.meta.url));

const formatJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

const buildMcpbManifest = (repository: string | undefined): object => ({
  manifest_version: "0.4",
  name,
  version,
  description: summary,
  long_description: longDescription,
  author,
  license,
  keywords,
  icon: "icon.png",
  ...(repository === undefined ? {} : { repository: { type: "git", url: repository } }),
  server: {
    type: "node",
    entry_point: programFile,
    mcp_config: {
      command: "node",
      args: [`\${__dirname}/${programFile}`, "mcp"],
      env: Object.fromEntries(settings.map(({ key, variable }) => [variable, `\${user_config.${key}}`])),
    },
  },
  tools_generated: true,
  user_config: Object.fromEntries(
    settings.map(({ key, title, description, fallback, isSecret }) => [
      key,
      {
        type: "string",
        title,
        description,
        required: true,
        sensitive: isSecret,
        ...(fallback === undefined ? {} : { default: fallback }),
      },
    ]),
  ),
  compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: `>=${oldestNode}` } },
});

export const buildMcpbFiles = (repository: string | undefined): Files => ({
  "manifest.json": formatJson(buildMcpbManifest(repository)),
  "icon.png": icon,
});

interface Release {
  /** Such as https://github.com/OWNER/pdpp. */
  readonly repository: string;
  /** The name of the MCPB bundle among the files of the release, and its digest. */
  readonly file: string;
  readonly sha256: string;
}

/** The MCP registry's entry. It names the bundle of a release, which is ours, and not a package of a registry, whose name may be a stranger's. */
export function buildRegistryEntry({ repository, file, sha256 }: Release): object {
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: buildRegistryName(repository),
    title: name,
    description: summary,
    version,
    repository: { url: repository, source: new URL(repository).hostname.split(".")[0] },
    packages: [
      {
        registryType: "mcpb",
        identifier: `${repository}/releases/download/v${version}/${file}`,
        fileSha256: sha256,
        version,
        transport: { type: "stdio" },
        environmentVariables: settings.map(({ variable, description, fallback, isSecret }) => ({
          name: variable,
          description,
          isRequired: true,
          isSecret,
          ...(fallback === undefined ? {} : { default: fallback }),
        })),
      },
    ],
  };
}

const skillFile = `skills/${skillName}/SKILL.md`;

const formatReadme = (installation: string): string => `# ${name}

${summary}.

1. Start your vault with \`pdpp serve\`.
2. Let this agent read: \`pdpp connect http://127.0.0.1:7663\`, and choose what it may see.
${installation}
The program is in \`${programFolder}/\` and needs Node ${oldestNode} or newer. Nothing is downloaded.
`;

const formatPluginReadme = (repository: string | undefined): string =>
  formatReadme(
    repository === undefined
      ? ""
      : `3. Install this plugin.

In Claude Code:

    /plugin install ${name} --marketplace ${new URL(repository).pathname.slice(1)}

In Codex:

    codex plugin marketplace add ${new URL(repository).pathname.slice(1)}
    codex plugin add ${name}@${name}
`,
  );

/** One repository for Claude Code and Codex. */
export function buildMarketplaceFiles(repository: string | undefined): Files {
  const links = repository === undefined ? {} : { homepage: repository, repository };
  const plugin = { name, version, description: summary, author, ...links, license, keywords };
  const folder = `plugins/${name}`;
  return {
    ".claude-plugin/marketplace.json": formatJson({
      name,
      description: summary,
      owner: author,
      plugins: [{ name, source: `./${folder}`, description: summary, category }],
    }),
    ".agents/plugins/marketplace.json": formatJson({
      name,
      interface: { displayName: name },
      plugins: [
        {
          name,
          source: { source: "local", path: `./${folder}` },
          policy: { installation: "AVAILABLE", authentication: "ON_INSTALL" },
          category,
        },
      ],
    }),
    [`${folder}/.claude-plugin/plugin.json`]: formatJson(plugin),
    [`${folder}/.codex-plugin/plugin.json`]: formatJson({
      ...plugin,
      skills: "./skills/",
      mcpServers: "./.codex-mcp.json",
      interface: { displayName: name, shortDescription: summary, category },
    }),
    [`${folder}/.mcp.json`]: formatJson({
      mcpServers: { [name]: { command: "node", args: [`\${CLAUDE_PLUGIN_ROOT}/${programFile}`, "mcp"] } },
    }),
    // Codex expands no variables, but starts the command in the plugin's folder.
    [`${folder}/.codex-mcp.json`]: formatJson({
      mcpServers: { [name]: { command: "node", args: [`./${programFile}`, "mcp"], cwd: "." } },
    }),
    [`${folder}/${skillFile}`]: skillText,
    [`${folder}/.claude-plugin/icon.png`]: icon,
    [`${folder}/README.md`]: formatPluginReadme(repository),
  };
}

export const buildGeminiFiles = (): Files => ({
  "gemini-extension.json": formatJson({
    name,
    version,
    description: summary,
    contextFileName: "GEMINI.md",
    mcpServers: {
      [name]: {
        command: "node",
        args: [`\${extensionPath}\${/}${programFile.split("/").join(`\${/}`)}`, "mcp"],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Gemini expands it
        cwd: "${extensionPath}",
      },
    },
    settings: settings.map(({ title, description, variable, isSecret }) => ({
      name: title,
      description: isSecret ? `${description}. Leave it empty after pdpp connect` : description,
      envVar: variable,
      sensitive: isSecret,
    })),
  }),
  "GEMINI.md": `The MCP server \`${name}\` reads the user's personal data. The skill \`${skillName}\` says when and how to use it.\n`,
  [skillFile]: skillText,
  "README.md": formatReadme(""),
});
