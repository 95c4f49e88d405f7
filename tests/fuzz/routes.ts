import { type Operation, operations } from "@pdpp/contract/operations";
import type { Dice } from "../model/generators/dice.ts";
import { drawArguments } from "./arguments.ts";
import { drawStrangeValue, type Words } from "./words.ts";

/** Requests to every route with valid and invalid query strings. */

const all: readonly Operation[] = Object.values(operations);

export function drawRequest(d: Dice, words: Words): { method: string; path: string } {
  const operation = d.pick(all);
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const inQuery = Object.keys(operation.input.shape).filter((name) => !inPath.includes(name));
  const needed = inQuery.filter((name) => !operation.input.shape[name]!.safeParse(undefined).success);
  const values = drawArguments(
    d,
    words,
    [...inPath, ...needed],
    inQuery.filter((name) => !needed.includes(name)),
  );
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(values[name]));
  const query = Object.entries(values)
    .filter(([name]) => !inPath.includes(name))
    .flatMap(([name, value]) => spellValue(name, value));
  const tail = d.chance(3)
    ? `${d.pick(["&", "&=", "&%zz=1", "&a[[b]=1", "#x"])}${encode(drawStrangeValue(d)).slice(0, 99)}`
    : "";
  const method = d.chance(2) ? d.pick(["PUT", "HEAD", "PATCH", "DELETE", "POST"]) : operation.method;
  return { method, path: `${path}${query.length > 0 || tail !== "" ? "?" : ""}${query.join("&")}${tail}` };
}

const encode = (value: unknown): string =>
  encodeURIComponent((typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed());

/** "." and ".." cannot be path segments. */
const encodeSegment = (value: unknown): string => encode(value).replace(/^\.{1,2}$/, "_") || "_";

function spellValue(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.map((item) => `${name}[]=${encode(item)}`);
  if (typeof value !== "object" || value === null) return [`${encode(name)}=${encode(value)}`];
  return Object.entries(value).flatMap(([key, inner]) => spellValue(`${name}[${encode(key)}]`, inner));
}
