import { PdppError } from "@pdpp/contract/errors";
import type { Scope } from "../../store/access/scope.ts";

const queryParams = ["filter", "expand", "expand_limit", "view"] as const;

/** Refuses filters, expansions and views if the server does not allow them to clients. Cards and documents are not views. */
export function checkClientQueries(input: object, name: string, scope: Scope, clientQueries: boolean): void {
  if (clientQueries || scope.tokenKind === "owner" || name === "schema") return;
  const presented = "view" in input && (input.view === "evidence" || input.view === "document");
  const used = queryParams.find((param) => Object.hasOwn(input, param) && !(param === "view" && presented));
  if (used !== undefined)
    throw new PdppError("invalid_request", `${used} is turned off for clients of this server; leave it out`, {
      param: used,
    });
}
