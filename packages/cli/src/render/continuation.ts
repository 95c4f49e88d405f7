import { formatHandle } from "@pdpp/evidence/handles/handle";
import { formatRecordId, unprintable } from "../input/record-id.ts";
import type { CommandRead, NextRead } from "./view.ts";

/** Formats the next read as a command that works in any POSIX shell and folder, whatever the ids contain. */

export interface CommandContext {
  /** Repeated in the command if the user gave it. */
  readonly url?: string;
  /** The server's address, given or not. */
  readonly providerUrl: string;
  /** Options to repeat in the next command. */
  readonly also?: { readonly [formatFlag: string]: string };
}

type Values = { readonly [name: string]: unknown };

interface Shape {
  readonly command: string;
  /** Positional parameters. */
  readonly words: readonly string[];
}

const shapes: { readonly [N in CommandRead]: Shape } = {
  schema: { command: "schema", words: ["stream"] },
  streams: { command: "streams", words: [] },
  queryRecords: { command: "query-records", words: ["stream"] },
  fetch: { command: "fetch", words: ["stream", "record_id"] },
  readField: { command: "field-window", words: ["stream", "record_id"] },
  search: { command: "search", words: ["q"] },
  aggregate: { command: "aggregate", words: ["stream"] },
  readBlob: { command: "blob", words: ["blob_id"] },
  export: { command: "export", words: [] },
};

export const formatCommand = ({ operation, arguments: input }: NextRead, commandContext: CommandContext): string =>
  buildCommand(operation, { ...input }, commandContext);

export function buildCommand(operation: CommandRead, input: Values, commandContext: CommandContext): string {
  const shape = shapes[operation];
  const { words, rest } = splitArguments(shape, input);
  const flags = [
    ...Object.entries(rest).flatMap(([name, value]) => formatFlags(name, value)),
    ...(operation === "readBlob" ? [`--output ${toFileName(String(input.blob_id))}`] : []),
    ...Object.entries(commandContext.also ?? {}).flatMap(([name, value]) => (name in rest ? [] : [flag(name, value)])),
  ];
  // A first word that looks like a URL would be taken for the server's.
  const named = commandContext.url ?? (isUrl(words[0]) ? commandContext.providerUrl : undefined);
  const plain = [...(named === undefined ? [] : [named]), ...words].map(quoteForShell);
  const dashed = words.some((word) => word.startsWith("-"));
  const parts = dashed ? [...flags, "--", ...plain] : [...plain, ...flags];
  return ["pdpp read", shape.command, ...parts].join(" ");
}

export const isUrl = (text: string | undefined): text is string => text !== undefined && /^https?:\/\//i.test(text);

function splitArguments({ words: names }: Shape, input: Values): { words: string[]; rest: Values } {
  const { connection_id: connectionId, stream, record_id: recordId } = input;
  const given = Object.entries(input).filter(([name, value]) => value !== undefined && !names.includes(name));
  if (names.includes("record_id") && connectionId !== undefined) {
    const handle = { connectionId: String(connectionId), stream: String(stream), recordId: String(recordId) };
    return {
      words: [formatRecordId(formatHandle(handle))],
      rest: Object.fromEntries(given.filter(([name]) => name !== "connection_id")),
    };
  }
  const words = names.filter((name) => input[name] !== undefined).map((name) => String(input[name]));
  return { words, rest: Object.fromEntries(given) };
}

function formatFlags(name: string, value: unknown): string[] {
  if (name === "filter") return [flag("filter-json", JSON.stringify(value))];
  if (name === "expand_limit")
    return Object.entries(Object(value)).map(([key, limit]) => flag("expand-limit", `${key}=${limit}`));
  if (name === "time") return ["--no-time"];
  if (Array.isArray(value)) return [flag(name, formatList(value.map(String)))];
  return [flag(name, String(value))];
}

const formatList = (items: readonly string[]): string =>
  items.some((item) => item.includes(",") || item.trim() !== item) || items[0]?.startsWith("[")
    ? JSON.stringify(items)
    : items.join(",");

function flag(name: string, value: string): string {
  const spelled = `--${name.replaceAll("_", "-")}`;
  return value.startsWith("-") ? `${spelled}=${quoteForShell(value)}` : `${spelled} ${quoteForShell(value)}`;
}

const plainWord = /^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+:,./=-]*$/;

/** Quotes a word for a POSIX shell, on one line. */
export function quoteForShell(text: string): string {
  if (plainWord.test(text)) return text;
  if (!unprintable.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll("%", "%%")
    .replace(new RegExp(unprintable, "g"), (c) => Array.from(Buffer.from(c), toOctalEscape).join(""))
    // printf would parse a leading dash as an option.
    .replace(/^-/, toOctalEscape(0x2d));
  return `"$(printf '${escaped.replaceAll("'", "'\\''")}')"`;
}

const toOctalEscape = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;

const toFileName = (blobId: string): string =>
  blobId
    .replace(/[^A-Za-z0-9_.-]/g, "_")
    .replace(/^[.-]+/, "_")
    .slice(0, 100) || "blob";
