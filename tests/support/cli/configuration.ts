import * as jsonc from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

/** Parses an agent's configuration the way the agent does. TOML is read with a different parser than the one that wrote it. */

type Parsed = Record<string, Record<string, Record<string, unknown>>>;

const parsers = {
  json: (text: string): unknown => JSON.parse(text),
  jsonc: (text: string): unknown => jsonc.parse(text),
  toml: (text: string): unknown => parseToml(text),
  yaml: (text: string): unknown => parseYaml(text),
};

export const readConfiguration = (format: keyof typeof parsers, text: string): Parsed =>
  parsers[format](text) as Parsed;
