import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@pdpp/contract/declaration";
import { type Answer, type LoadedVault, readJson, readText } from "./loaded-vault.ts";
import { listReturnedRows } from "./rules/schema.ts";
import { About, type ListPrediction, type Prediction } from "./rules/world.ts";

/** Compares a response with the prediction; throws both if they differ. */

export class Mismatch extends Error {}

function same(what: string, got: unknown, expected: unknown): void {
  // Via JSON, because only that is on the wire: no undefined, no prototypes, no -0.
  const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
  if (isDeepStrictEqual(plain(got), plain(expected))) return;
  throw new Mismatch(
    `${what}\n  got      ${JSON.stringify(got)?.slice(0, 3000)}\n  expected ${JSON.stringify(expected)?.slice(0, 3000)}`,
  );
}

/** Keeps only the keys the model predicts. */
const like = (got: JsonObject, expected: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(expected).map((key) => [key, got[key]!]));

export interface Ask {
  readonly vault: LoadedVault;
  readonly token: string;
  readonly path: string;
  readonly seen: (answer: Answer, path: string) => void;
}

/** Checks the first response and follows its pages. */
export async function checkAnswer(ask: Ask, answer: Answer, prediction: Prediction): Promise<void> {
  if ("faults" in prediction) return checkFault(answer, prediction);
  if ("described" in prediction) return checkDescribed(answer, prediction);
  if (answer.status !== 200)
    throw new Mismatch(`status ${answer.status} instead of 200: ${readText(answer).slice(0, 2000)}`);
  if ("bytes" in prediction) {
    same("blob", Buffer.from(answer.bytes).toString("base64"), Buffer.from(prediction.bytes).toString("base64"));
    return same("blob type", answer.headers["content-type"], prediction.mimeType);
  }
  if ("lines" in prediction) {
    const lines = readText(answer)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as JsonObject);
    return same("lines", lines, prediction.lines);
  }
  const body = readJson(answer) as JsonObject;
  if ("record" in prediction) return same("record", like(body, prediction.record), prediction.record);
  if ("rows" in prediction) {
    const place = (row: JsonObject) => `${row.name} ${row.connection_id} ${row.connector_key}`;
    const sorted = (rows: readonly JsonObject[]) => [...rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
    const got = sorted((body.data as JsonObject[]).map(({ last_updated: _l, freshness: _f, ...row }) => row));
    return same("rows", got, sorted(prediction.rows));
  }
  if ("aggregate" in prediction) return checkAggregate(body, prediction);
  return checkPages(ask, answer, prediction.list);
}

/** The REST tests check how invalid requests are rejected. Successful responses must match the grant exactly. */
function checkDescribed(answer: Answer, { described, as, mustAnswer }: Extract<Prediction, { as: string }>): void {
  if (answer.status >= 500 || (mustAnswer && answer.status !== 200))
    throw new Mismatch(`status ${answer.status}: ${readText(answer)}`);
  if (answer.status !== 200) return;
  const place = (row: JsonObject) => JSON.stringify([row.connector_key, row.name, row.connections]);
  const sorted = (rows: readonly JsonObject[]) => [...rows].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  same("description", sorted(listReturnedRows(readJson(answer) as JsonObject, as)), sorted(described));
}

function checkFault(answer: Answer, { faults, candidates }: Extract<Prediction, { faults: unknown }>): void {
  const text = readText(answer);
  const found = faults.some(
    ([status, code]) => answer.status === status && text.includes(`"code":${JSON.stringify(code)}`),
  );
  if (!found)
    throw new Mismatch(`status ${answer.status} instead of one of ${JSON.stringify(faults)}: ${text.slice(0, 2000)}`);
  const { error } = readJson(answer) as unknown as { error: Record<string, unknown> };
  if (error.request_id !== "req_model") throw new Mismatch("the error has no request id");
  if (error.code === "ambiguous_connection" && error.retry_with !== "connection_id")
    throw new Mismatch("no retry_with");
  if (candidates === undefined) return;
  const place = (candidate: JsonObject) => `${candidate.connection_id} ${candidate.grant_id}`;
  const sorted = (list: readonly JsonObject[]) => [...list].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  same("candidates", sorted(error.available_connections as JsonObject[]), sorted(candidates));
  same("number of candidates", error.available_connection_count, candidates.length);
}

function checkAggregate(body: JsonObject, { aggregate }: Extract<Prediction, { aggregate: JsonObject }>): void {
  same("aggregate", like(body, aggregate), settled(aggregate, body));
  const { object: _, ...result } = aggregate;
  same("data of the aggregate", like(body.data as JsonObject, result), settled(result, body.data));
}

/** Replaces predicted numbers by those of the response where they are close enough. */
function settled(expected: unknown, got: unknown): unknown {
  if (expected instanceof About) {
    const isNear = typeof got === "number" && Math.abs(got - expected.value) <= expected.within;
    return isNear ? got : { about: expected.value };
  }
  if (Array.isArray(expected)) return expected.map((item, i) => settled(item, (got as unknown[] | undefined)?.[i]));
  if (typeof expected !== "object" || expected === null) return expected;
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]) => [key, settled(value, (got as JsonObject | undefined)?.[key])]),
  );
}

const mostPages = 300;

async function checkPages(ask: Ask, first: Answer, expected: ListPrediction): Promise<void> {
  let answer = first;
  let place = 0;
  for (let page = 0; ; page++) {
    if (page > mostPages) throw new Mismatch("the pages do not end");
    const body = readJson(answer) as unknown as {
      data: JsonObject[];
      has_more: boolean;
      next_cursor?: string;
      links: { self: string; next: string | null };
      meta: { count: JsonObject; warnings: { code: string }[]; window?: JsonObject };
    };
    const wanted = expected.records.slice(place, place + expected.pageSize);
    same(`records of page ${page}`, body.data, wanted);
    place += wanted.length;
    const more = place < expected.records.length;
    same(`has_more of page ${page}`, body.has_more, more);
    same(`next_cursor of page ${page}`, body.next_cursor !== undefined, more);
    same(`links.next of page ${page}`, body.links.next !== null, more);
    const isPart = page === 0 && more;
    same(`count of page ${page}`, body.meta.count, (isPart ? expected.countOfParts : undefined) ?? expected.count);
    same(`window of page ${page}`, body.meta.window, expected.window);
    const codes = body.meta.warnings.map(({ code }) => code);
    const unmatched = codes.filter((code) => code === "no_exact_match");
    same("filters that nothing matches", unmatched.length, expected.unmatched);
    if (expected.clamped)
      same(
        "warnings",
        codes.filter((code) => code !== "no_exact_match"),
        ["limit_clamped"],
      );
    if (!more) return;
    answer = await ask.vault.get(ask.token, body.links.next!);
    ask.seen(answer, body.links.next!);
    if (answer.status !== 200)
      throw new Mismatch(`page ${page + 1}: status ${answer.status}: ${readText(answer).slice(0, 500)}`);
  }
}
