import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { z } from "zod";

/** The bindings that pdpp provides. It has no browser, and connectors may not listen. */
const offered = ["network", "filesystem", "interactive"];

const requirements = z.object({
  bindings: z.record(z.string(), z.object({ required: z.boolean().optional() })).optional(),
  environment_variables: z.array(z.string()).optional(),
});

/** Network access is all or nothing, and given only to connectors whose manifest asks for it. */
export function chooseBindings(manifest: JsonObject, isInteractive: boolean): JsonObject {
  const wanted = readRequirements(manifest).bindings;
  const granted = new Set(Object.keys(wanted).filter((name) => offered.includes(name)));
  if (isInteractive) granted.add("interactive");
  else granted.delete("interactive");
  const missing = Object.entries(wanted).find(([name, { required }]) => required === true && !granted.has(name));
  if (missing !== undefined)
    throw new PdppError("connector_invalid", `the connector needs ${missing[0]}, which pdpp does not provide`);
  return Object.fromEntries([...granted].map((name) => [name, {}]));
}

export function readRequirements(manifest: JsonObject) {
  const parsed = requirements.safeParse(manifest.runtime_requirements ?? {});
  if (!parsed.success) throw new PdppError("connector_invalid", "the manifest's runtime_requirements are not valid");
  const { bindings = {}, environment_variables: variables = [] } = parsed.data;
  return { bindings, variables };
}
