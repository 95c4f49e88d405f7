import type { LoggedRequest } from "@pdpp/contract/logged-request";

/** What an agent asked, on one line: `q="boiler invoice" filter[likes][gte]=10`. */
export function formatRequest(request: LoggedRequest | null | undefined): string {
  if (request === undefined) return "-";
  if (request === null) return "(deleted)";
  const { arguments: asked, continued, shortened } = request;
  const parts = Object.entries(asked).flatMap(([name, value]) => formatArgument(name, value));
  const notes = [...(continued ? ["(continued)"] : []), ...(shortened ? ["(shortened)"] : [])];
  return [...parts, ...notes].join(" ") || "-";
}

type Value = LoggedRequest["arguments"][string];

function formatArgument(name: string, value: Value): string[] {
  if (Array.isArray(value)) return [`${name}=${value.map(formatScalar).join(",")}`];
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, each]) => formatArgument(`${name}[${key}]`, each));
  return [`${name}=${formatScalar(value)}`];
}

const plainText = /^[\w.:*/+-]+$/;

const formatScalar = (value: Value): string =>
  typeof value === "string" && plainText.test(value) ? value : JSON.stringify(value);
