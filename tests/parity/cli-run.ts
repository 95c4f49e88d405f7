import { execFileSync } from "node:child_process";
import type { OperationName } from "@pdpp/contract/operations";
import { parseHandle } from "@pdpp/evidence/handles/handle";
import { parseNames } from "#cli/commands/read/lists";
import { type Call, type Loose, normalize } from "./neutral.ts";

/** Converts commands to calls and calls to commands. */

/** Splits a shell command into words, using the shell itself. */
export function splitWords(line: string): string[] {
  const program = `pdpp() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${line}`;
  return execFileSync("/bin/sh", ["-c", program], { encoding: "utf8" }).split("\0").slice(0, -1);
}

const operations: { readonly [command: string]: OperationName } = {
  schema: "schema",
  search: "search",
  "query-records": "queryRecords",
  aggregate: "aggregate",
  fetch: "fetch",
  "field-window": "readField",
  blob: "readBlob",
};
const commands = Object.fromEntries(Object.entries(operations).map(([command, operation]) => [operation, command]));

const lists = new Set(["fields", "expand", "streams"]);

export function callOfWords([, command, ...rest]: readonly string[]): Call {
  const plain: string[] = [];
  const input: Record<string, unknown> = {};
  for (let i = 0; i < rest.length; i += 1) {
    const word = rest[i]!;
    if (word === "--") {
      plain.push(...rest.slice(i + 1));
      break;
    }
    const [, name, joined] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) plain.push(word);
    else {
      if (joined === undefined) i += 1;
      set(input, name.replaceAll("-", "_"), joined ?? rest[i]!);
    }
  }
  const { format: _, output: __, ...asked } = input;
  return normalize(operations[command!]!, { ...placeOf(command!, plain), ...asked });
}

function set(input: Record<string, unknown>, name: string, value: string): void {
  if (name === "filter_json") input.filter = JSON.parse(value);
  else if (name === "expand_limit") {
    const at = value.lastIndexOf("=");
    input.expand_limit = { ...(input.expand_limit as object), [value.slice(0, at)]: value.slice(at + 1) };
  } else input[name] = lists.has(name) ? parseNames(value) : value;
}

function placeOf(command: string, plain: readonly string[]): object {
  if (command === "search") return { q: plain.join(" ") };
  if (command === "blob") return { blob_id: plain[0] };
  if (command === "schema" && plain.length === 0) return {};
  if (command !== "fetch" && command !== "field-window") return { stream: plain[0] };
  const handle = parseHandle(plain[0]!)!;
  return { connection_id: handle.connectionId, stream: handle.stream, record_id: handle.recordId };
}

/** Writes a neutral call as a command. */
export function buildCommandWords({ operation, input }: Call): string[] {
  const { q, stream, record_id: id, connection_id: connection, filter, expand_limit: limits, ...rest } = input as Loose;
  const record = operation === "fetch" || operation === "readField";
  const narrowed = connection === undefined ? [] : ["--connection-id", connection];
  const plain = record
    ? connection === undefined
      ? [stream, id]
      : [`${connection}/${stream}:${id}`]
    : operation === "search"
      ? [q, ...narrowed]
      : operation === "schema"
        ? [...(stream === undefined ? [] : ["--stream", stream]), ...narrowed]
        : [stream, ...narrowed];
  const flags = Object.entries(record && q !== undefined ? { ...rest, q } : rest).flatMap(([name, value]) => [
    `--${name.replaceAll("_", "-")}`,
    Array.isArray(value) ? value.join(",") : String(value),
  ]);
  const filters = filter === undefined ? [] : ["--filter-json", JSON.stringify(filter)];
  const expansions = Object.entries(limits ?? {}).flatMap(([name, n]) => ["--expand-limit", `${name}=${n}`]);
  return ["read", commands[operation]!, ...plain, ...flags, ...filters, ...expansions];
}
