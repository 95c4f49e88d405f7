import type { JsonObject } from "@pdpp/contract/declaration";
import { z } from "zod";
import { readRequirements } from "../run/bindings.ts";

/** What a connector asks for, to show before it is approved. */
export interface ConnectorRequest {
  readonly bindings: readonly string[];
  /** Environment variables that it reads: credentials and paths. */
  readonly variables: readonly string[];
}

const setup = z.object({
  credential_capture: z
    .object({ fields: z.array(z.object({ env: z.union([z.string(), z.array(z.string())]).optional() })).optional() })
    .optional(),
});

/** Names that decide how a process runs are never passed on. */
const variablePattern = /^(?!NODE_|LD_|DYLD_|PATH$|HOME$|TMPDIR$|LANG$)[A-Z][A-Z0-9_]{1,99}$/;

export const canPassVariable = (name: string): boolean => variablePattern.test(name);

export function readRequest(manifest: JsonObject): ConnectorRequest {
  const { bindings, variables } = readRequirements(manifest);
  const parsed = setup.safeParse(manifest.setup ?? {});
  const fields = (parsed.success ? parsed.data.credential_capture?.fields : undefined) ?? [];
  const all = new Set([...variables, ...fields.flatMap(({ env = [] }) => env)]);
  return { bindings: Object.keys(bindings), variables: [...all].filter((name) => canPassVariable(name)) };
}
