import { PdppError } from "@pdpp/contract/errors";
import type { Operation } from "@pdpp/contract/operations";
import type { Scope } from "../../store/access/scope.ts";

/** An owner's token needs the right that the operation requires. A client's token may read, within its grants. */
export function checkRights(
  scope: Pick<Scope, "tokenKind" | "may">,
  operation: Pick<Operation, "audience" | "needs">,
): void {
  if (scope.tokenKind !== "owner") {
    if (operation.audience !== "client") throw createOwnerOnlyError();
    return;
  }
  const may = scope.may ?? ["everything"];
  if (may.includes("everything") || may.includes(operation.needs)) return;
  throw new PdppError(
    "permission_error",
    `this token allows ${may.join(", ")}, not ${operation.needs}; create another with --may`,
  );
}

export function checkOwnerToken({ tokenKind }: Scope): void {
  if (tokenKind !== "owner") throw createOwnerOnlyError();
}

const createOwnerOnlyError = (): PdppError =>
  new PdppError("permission_error", "only the owner may do this; a client's token can only read");
