import type { MatchedRoute } from "@pdpp/contract/address";
import { PdppError } from "@pdpp/contract/errors";
import { describeIssue } from "@pdpp/contract/issue-words";
import { type Input, type Operation, type OperationName, operations } from "@pdpp/contract/operations";
import { decodeQuery } from "@pdpp/contract/query-string";
import type { Warning } from "@pdpp/contract/wire";

const maxQueryChars = 32 * 1024;
const oldConnectionParam = "connector_instance_id";

export function readValues(
  { name: operation, params }: MatchedRoute,
  url: URL,
  warn: (warning: Warning) => void,
): ReadonlyMap<string, unknown> {
  if (url.search.length > maxQueryChars)
    throw new PdppError("invalid_request", `the query is longer than ${maxQueryChars} characters`);
  const { values, fault } = decodeQuery(url.searchParams);
  if (fault !== undefined) throw new PdppError("invalid_request", fault.message, { param: fault.param });
  resolveAlias(values, warn);
  const { shape } = operations[operation].input;
  for (const [name, segment] of Object.entries(params)) {
    // A key "." or ".." cannot be a path segment: it is sent in the query, with "_" in the path.
    if (segment !== "_" || !values.has(name)) {
      if (values.has(name)) throw createUnknownParameterError(name, shape);
      values.set(name, segment);
    }
  }
  for (const name of values.keys()) if (!Object.hasOwn(shape, name)) throw createUnknownParameterError(name, shape);
  return values;
}

/** The readable parts of a request, valid or not. May contain unknown parameters. */
export function readValuesLoosely({ params }: MatchedRoute, url: URL): ReadonlyMap<string, unknown> {
  const { values } = decodeQuery(new URLSearchParams(url.search.slice(0, maxQueryChars)));
  return new Map<string, unknown>([...values, ...Object.entries(params).filter(([, segment]) => segment !== "_")]);
}

/** Throws an error that names the first invalid parameter. */
export function checkInput<N extends OperationName>(name: N, values: ReadonlyMap<string, unknown>): Input<N> {
  for (const [name, value] of values) {
    // Zod drops this key silently, and a filter that is ignored must not look applied.
    if (typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")) {
      throw new PdppError("unknown_field", "there is no field __proto__", { param: `${name}[__proto__]` });
    }
  }
  const operation: Operation = operations[name];
  const parsed = operation.input.safeParse(Object.fromEntries(values));
  if (parsed.success) return parsed.data as Input<N>;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw new PdppError("invalid_request", "the request is invalid for this operation");
  const param = issue.path.map(String).reduce((text, part, i) => (i === 0 ? part : `${text}[${part}]`), "");
  const code = operation.faults?.[String(issue.path[0])] ?? "invalid_request";
  throw new PdppError(code, explainIssue(issue, param, getValueAt(values, issue.path)), { param });
}

type Issue = NonNullable<ReturnType<Operation["input"]["safeParse"]>["error"]>["issues"][number];

function getValueAt(values: ReadonlyMap<string, unknown>, path: readonly PropertyKey[]): unknown {
  const [first, ...rest] = path;
  return rest.reduce<unknown>(
    (held, key) => (typeof held === "object" && held !== null ? Reflect.get(held, key) : undefined),
    values.get(String(first)),
  );
}

function explainIssue(issue: Issue, param: string, value: unknown): string {
  if (value === undefined) return `${param} is required`;
  if (issue.code === "invalid_value") return `${param} must be one of: ${issue.values.map(String).join(", ")}`;
  if (issue.code === "too_big" || issue.code === "too_small") return describeIssue(issue, param);
  if (issue.code === "unrecognized_keys" || issue.code === "invalid_union") {
    return `${param} must be a value, or a range with [gte], [gt], [lte] or [lt]`;
  }
  return `${param} ${issue.message}${typeof value === "string" ? `, not ${JSON.stringify(value.slice(0, 60))}` : ""}`;
}

function createUnknownParameterError(name: string, shape: object): PdppError {
  const known = Object.keys(shape).join(", ") || "none";
  return new PdppError(
    "invalid_request",
    `${JSON.stringify(name)} is not a parameter of this operation; it takes: ${known}`,
    { param: name },
  );
}

/** Accepts the deprecated name of `connection_id`, with a warning. */
function resolveAlias(values: Map<string, unknown>, warn: (warning: Warning) => void): void {
  const old = values.get(oldConnectionParam);
  if (old === undefined) return;
  values.delete(oldConnectionParam);
  const held = values.get("connection_id");
  if (held !== undefined && held !== old) {
    throw new PdppError(
      "invalid_argument",
      `${oldConnectionParam} is the old name of connection_id, and the two differ; send connection_id alone`,
      { param: oldConnectionParam },
    );
  }
  values.set("connection_id", old);
  warn({
    code: "deprecated_alias_used",
    message: `${oldConnectionParam} is deprecated; send connection_id`,
    param: oldConnectionParam,
  });
}
