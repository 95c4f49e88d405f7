import { isDeepStrictEqual } from "node:util";
import * as toml from "@decimalturn/toml-patch";
import { formatConfigSnippet } from "@pdpp/agent-setup/config-snippet";
import { getErrorMessage } from "@pdpp/server/system-error";
import * as jsonc from "jsonc-parser";
import * as yaml from "yaml";
import { parseJson } from "../input/parse-json.ts";
import type { Format } from "./clients.ts";

/** Adds our entry to a configuration file, or removes it, and preserves everything else, including comments. */

export interface EntryName {
  readonly section: string;
  readonly name: string;
}

export interface Entry extends EntryName {
  readonly value: Record<string, unknown>;
}

/** The file cannot be edited safely. */
export class CannotMerge extends Error {
  override readonly name = "CannotMerge";
}

type Document = Record<string, unknown>;

interface Editor {
  parse(text: string): unknown;
  /** `held` is the current entry with our name. */
  edit(text: string, entry: Entry, held: Document | undefined): string;
  remove(text: string, entry: EntryName): string;
}

/** Keys that define the transport. They are replaced as a group; other keys of the entry are preserved. */
const transportKeys = new Set(
  [
    "type",
    "transport",
    "command",
    "args",
    "cmd",
    "url",
    "uri",
    "httpUrl",
    "serverUrl",
    "headers",
    "http_headers",
  ].concat(["env_http_headers", "bearer_token_env_var", "oauth", "disabled"]),
);

export const formatSnippet = (format: Format, { section, name, value }: Entry): string =>
  formatConfigSnippet(format, section, name, value);

interface Merged {
  readonly text: string;
  readonly changed: boolean;
  /** The whole entry, with what others added to it. */
  readonly value: Document;
}

export function mergeEntry(format: Format, before: string, entry: Entry): Merged {
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = before.slice(mark.length);
  const editor = editors[format];
  const document = bare.trim() === "" ? {} : parseDocument(editor, bare);
  const section = document[entry.section] ?? {};
  if (!isObject(section)) throw new CannotMerge(`${entry.section} is not an object of servers`);
  const there = section[entry.name];
  const held = isObject(there) ? there : undefined;
  const kept = Object.entries(held ?? {}).filter(([key]) => !transportKeys.has(key));
  const value = { ...Object.fromEntries(kept), ...entry.value };
  if (isDeepStrictEqual(held, value)) return { text: before, changed: false, value };
  const text = editor.edit(bare, { ...entry, value }, held);
  const expected = { ...document, [entry.section]: { ...section, [entry.name]: value } };
  if (!isDeepStrictEqual(parseDocument(editor, text), expected))
    throw new CannotMerge("pdpp cannot edit a file with this structure");
  return { text: mark + text, changed: true, value };
}

/** Removes our entry. Everything else stays, an empty section included. */
export function removeEntry(format: Format, before: string, entry: EntryName): { text: string; changed: boolean } {
  const mark = before.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = before.slice(mark.length);
  if (!hasEntry(format, before, entry)) return { text: before, changed: false };
  const editor = editors[format];
  const document = parseDocument(editor, bare);
  const section = document[entry.section];
  const { [entry.name]: _, ...others } = isObject(section) ? section : {};
  const text = editor.remove(bare, entry);
  const { [entry.section]: left = {}, ...rest } = parseDocument(editor, text);
  const { [entry.section]: __, ...expected } = document;
  if (!isDeepStrictEqual(rest, expected) || !isDeepStrictEqual(left, others))
    throw new CannotMerge("pdpp cannot edit a file with this structure");
  return { text: mark + text, changed: true };
}

export function hasEntry(format: Format, text: string, { section, name }: EntryName): boolean {
  const bare = text.replace(/^\uFEFF/, "");
  const servers = bare.trim() === "" ? undefined : parseDocument(editors[format], bare)[section];
  return isObject(servers) && Object.hasOwn(servers, name);
}

function parseDocument(editor: Editor, text: string): Document {
  let document: unknown;
  try {
    document = editor.parse(text);
  } catch (error) {
    throw new CannotMerge(`it could not be parsed: ${getErrorMessage(error).split("\n")[0]}`);
  }
  if (!isObject(document)) throw new CannotMerge("it is not an object of settings");
  return document;
}

const isObject = (value: unknown): value is Document =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const editJson: Editor["edit"] = (text, { section, name, value }) => {
  const bare = text.trim() === "" ? "{}\n" : text;
  const eol = bare.includes("\r\n") ? "\r\n" : "\n";
  const indent = /\n([ \t]+)\S/.exec(bare)?.[1] ?? "  ";
  const formattingOptions = {
    eol,
    insertSpaces: !indent.includes("\t"),
    tabSize: indent.includes("\t") ? 1 : indent.length,
  };
  return jsonc.applyEdits(bare, jsonc.modify(bare, [section, name], value, { formattingOptions }));
};

const removeJson: Editor["remove"] = (text, { section, name }) =>
  jsonc.applyEdits(text, jsonc.modify(text, [section, name], undefined, {}));

function parseJsonc(text: string): unknown {
  const errors: jsonc.ParseError[] = [];
  const value: unknown = jsonc.parse(text, errors, { allowTrailingComma: true });
  const first = errors[0];
  if (first === undefined) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw new Error(`${jsonc.printParseErrorCode(first.error)} in line ${line}`);
}

const editToml: Editor["edit"] = (text, { section, name, value }, held) => {
  if (held === undefined) {
    const eol = text.includes("\r\n") ? "\r\n" : "\n";
    const table = [`[${section}.${name}]`, ...toml.stringify(value).trim().split(/\r?\n/), ""].join(eol);
    const appended = text.trim() === "" ? table : `${text.trimEnd()}${eol}${eol}${table}`;
    if (isToml(appended)) return appended;
  }
  const document = parseDocument(editors.toml, text);
  const servers = document[section];
  return toml.patch(text, { ...document, [section]: { ...(isObject(servers) ? servers : {}), [name]: value } });
};

const removeToml: Editor["remove"] = (text, { section, name }) => {
  const { [section]: servers, ...rest } = parseDocument(editors.toml, text);
  const { [name]: _, ...others } = isObject(servers) ? servers : {};
  return toml.patch(text, Object.keys(others).length === 0 ? rest : { ...rest, [section]: others });
};

/** False if the servers are an inline table. */
function isToml(text: string): boolean {
  try {
    toml.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The TOML parser's objects have no prototype, so they would not compare equal. */
const toPlainObject = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toPlainObject);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPlainObject(part)]));
};

function parseYaml(text: string): unknown {
  const document = yaml.parseDocument(text);
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document.toJS() ?? {};
}

const editYaml: Editor["edit"] = (text, { section, name, value }) => {
  const document = yaml.parseDocument(text);
  // An empty document or key has no map to add the entry to.
  if (document.contents === null) document.contents = document.createNode({}) as never;
  if (!yaml.isMap(document.get(section))) document.set(section, document.createNode({}));
  document.setIn([section, name], document.createNode(value));
  return document.toString({ lineWidth: 0 });
};

const removeYaml: Editor["remove"] = (text, { section, name }) => {
  const document = yaml.parseDocument(text);
  document.deleteIn([section, name]);
  return document.toString({ lineWidth: 0 });
};

const editors: Record<Format, Editor> = {
  json: { parse: parseJson, edit: editJson, remove: removeJson },
  jsonc: { parse: parseJsonc, edit: editJson, remove: removeJson },
  toml: { parse: (text) => toPlainObject(toml.parse(text)), edit: editToml, remove: removeToml },
  yaml: { parse: parseYaml, edit: editYaml, remove: removeYaml },
};
