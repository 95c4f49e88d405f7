import type { ConfigFormat } from "./known-agents.ts";

/** Formats a configuration file that contains only this entry. */
export function formatConfigSnippet(format: ConfigFormat, section: string, name: string, value: object): string {
  if (format === "json" || format === "jsonc") return JSON.stringify({ [section]: { [name]: value } }, null, 2);
  const lines = Object.entries(value);
  if (format === "toml")
    return [`[${section}.${name}]`, ...lines.map(([key, held]) => `${key} = ${formatTomlValue(held)}`)].join("\n");
  // JSON values are valid YAML.
  return [`${section}:`, `  ${name}:`, ...lines.map(([key, held]) => `    ${key}: ${JSON.stringify(held)}`)].join("\n");
}

/** JSON strings (except for one character), numbers, booleans and arrays are valid TOML; objects are not. */
function formatTomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatTomlValue).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const pairs = Object.entries(value).map(([key, held]) => `${JSON.stringify(key)} = ${formatTomlValue(held)}`);
    return `{ ${pairs.join(", ")} }`;
  }
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
