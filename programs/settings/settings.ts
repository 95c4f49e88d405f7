import type { Option } from "commander";
import { createProgram } from "#cli/main";

/** The settings of a server as a page of the documentation: the options come from the command line itself, the variables from here. */

interface Variable {
  readonly name: string;
  readonly purpose: string;
}

export const variables: readonly Variable[] = [
  { name: "PDPP_DATA_DIR", purpose: "folder of the vault, as `--data-dir`" },
  { name: "PDPP_DATABASE_URL", purpose: "PostgreSQL database of the vault, as `--database-url`" },
  { name: "PDPP_DATABASE_READ_URL", purpose: "streaming replica of it, as `--database-read-url`" },
  { name: "PDPP_TLS_CERT", purpose: "certificate of the server, as `--tls-cert`" },
  { name: "PDPP_TLS_KEY", purpose: "its private key, as `--tls-key`" },
  { name: "PDPP_BACKUP_PASSPHRASE", purpose: "passphrase of backups, instead of `--passphrase-file`" },
  { name: "PDPP_METRICS_TOKEN", purpose: "token that opens `GET /metrics` and nothing else" },
  {
    name: "PDPP_SOURCE_KEY",
    purpose: "what protects saved credentials of sources: `keychain`, `file` or `passphrase`",
  },
  { name: "PDPP_SOURCE_PASSPHRASE_FILE", purpose: "file with the passphrase that protects them" },
  { name: "PDPP_KEY_DIR", purpose: "folder of the key files that protect them" },
  { name: "PDPP_TIME_LIMIT_FACTOR", purpose: "multiplies all time limits, for slow machines" },
  { name: "PDPP_DEBUG", purpose: "`1` adds the stack to internal errors" },
  { name: "PDPP_PROVIDER_URL", purpose: "server that `pdpp read` and `pdpp mcp` read from" },
  { name: "PDPP_ACCESS_TOKEN", purpose: "their token, instead of a saved one" },
  { name: "PDPP_CACHE_ROOT", purpose: "folder of saved tokens, as `--cache-root`" },
  { name: "PDPP_OWNER_TOKEN", purpose: "not read; `pdpp mcp` refuses to start while it is set" },
  { name: "PDPP_OWNER_SESSION_COOKIE", purpose: "the same" },
];

/** Between our own programs, and given to connectors by their protocol. */
export const internalVariables: readonly string[] = [
  "PDPP_STARTED_BY_OLDER_NODE",
  "PDPP_CONNECTOR_ID",
  "PDPP_CONNECTOR_INSTANCE_ID",
  "PDPP_RS_URL",
  "PDPP_RUN_ID",
  "PDPP_STATE_DIR",
];

const startMarker = "<!-- settings: written by npm run settings -->";
const endMarker = "<!-- end of settings -->";

/** Returns the page with its table as it should be. */
export async function updateSettings(page: string): Promise<string> {
  const [before, rest] = page.split(startMarker);
  const after = rest?.split(endMarker)[1];
  if (before === undefined || after === undefined) throw new Error(`the page needs ${startMarker} and ${endMarker}`);
  return `${before}${startMarker}\n\n${await formatSettings()}\n\n${endMarker}${after}`;
}

async function formatSettings(): Promise<string> {
  const program = await createProgram([], false);
  const serving = program.commands.find((command) => command.name() === "serve");
  if (serving === undefined) throw new Error("there is no command serve");
  const options = [...serving.options, ...program.options].filter(({ long }) => long !== "--version");
  return [
    "| option of `pdpp serve` | meaning | default |",
    "|---|---|---|",
    ...options.map(
      (option) => `| \`${option.flags.replaceAll("|", "\\|")}\` | ${describe(option)} | ${formatDefault(option)} |`,
    ),
    "",
    "| variable | meaning |",
    "|---|---|",
    ...variables.map(({ name, purpose }) => `| \`${name}\` | ${purpose} |`),
  ].join("\n");
}

const describe = ({ description, argChoices, envVar }: Option): string =>
  [
    description.replaceAll("|", "\\|"),
    argChoices === undefined ? "" : ` (${argChoices.join(", ")})`,
    envVar === undefined ? "" : `, or \`${envVar}\``,
  ].join("");

const formatDefault = ({ defaultValue, negate }: Option): string =>
  negate || defaultValue === undefined ? "" : `\`${String(defaultValue)}\``;
