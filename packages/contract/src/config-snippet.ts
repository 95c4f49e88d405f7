import type { ConfigFormat } from "./agent-clients.ts";

/** An entry of a configuration file, as a file that has nothing else would hold it. */
export function configSnippet(format: ConfigFormat, section: string, name: string, value: object): string {
  if (format === "json" || format === "jsonc") return JSON.stringify({ [section]: { [name]: value } }, null, 2);
  const lines = Object.entries(value);
  if (format === "toml")
    return [`[${section}.${name}]`, ...lines.map(([key, held]) => `${key} = ${tomlValue(held)}`)].join("\n");
  // JSON is YAML.
  return [`${section}:`, `  ${name}:`, ...lines.map(([key, held]) => `    ${key}: ${JSON.stringify(held)}`)].join("\n");
}

/** JSON's strings, numbers, truths and lists are TOML's as well, but for one character; objects are written otherwise. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).map(([key, held]) => `${JSON.stringify(key)} = ${tomlValue(held)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
