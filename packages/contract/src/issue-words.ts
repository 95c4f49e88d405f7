import type { z } from "zod";

type Issue = z.core.$ZodIssue;

export function describeIssue(issue: Issue, name: string): string {
  switch (issue.code) {
    case "invalid_value": {
      const values = issue.values.map((value) => JSON.stringify(value));
      return `${name} must be ${values.length === 1 ? "" : "one of: "}${values.join(", ")}`;
    }
    case "invalid_type":
      return `${name} must be ${typeWords[issue.expected] ?? issue.expected}`;
    case "too_big":
      return issue.origin === "string"
        ? `${name} is too long; ${issue.maximum} characters at most`
        : `${name} is at most ${issue.maximum}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? `${name} must not be empty`
        : `${name} is at least ${issue.minimum}`;
    default:
      return `${name} ${issue.message}`;
  }
}

const typeWords: { readonly [type: string]: string } = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};
