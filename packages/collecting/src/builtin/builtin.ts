import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuiltinConnector, builtinConnectors } from "@pdpp/connectors/builtins";
import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { parseManifest } from "@pdpp/contract/manifest";
import { z } from "zod";
import { listSetupFields, type SetupField } from "../install/setup-fields.ts";
import type { RunnableConnector } from "../run/collect.ts";

export type { BuiltinConnector };

const capabilities = z.object({ refresh_policy: z.record(z.string(), z.json()) });

/** The settings of a new source, which `BuiltinSettings` reads. Throws if no run can succeed with these values. */
export function createBuiltinSettings(
  { name, manifest, findInvalid }: BuiltinConnector,
  values: Readonly<Record<string, string>>,
): JsonObject {
  const fields = listSetupFields(manifest);
  const isEmpty = ({ variable }: SetupField): boolean => (values[variable] ?? "").trim() === "";
  const missing = fields.find((field) => field.isRequired && isEmpty(field));
  const invalid = missing ? { variable: missing.variable, reason: "enter a value" } : findInvalid(values);
  if (invalid !== undefined) {
    const { variable, reason } = invalid;
    const { label = variable, name: param = variable } = fields.find((field) => field.variable === variable) ?? {};
    throw new PdppError("invalid_argument", `${label}: ${reason}`, { param });
  }
  return {
    builtin: name,
    values: { ...values },
    refresh_policy: capabilities.parse(manifest.capabilities).refresh_policy,
  };
}

export const listBuiltins = (): readonly BuiltinConnector[] => builtinConnectors;

export function findBuiltin(name: string): BuiltinConnector {
  const found = builtinConnectors.find((connector) => connector.name === name);
  if (found !== undefined) return found;
  const known = builtinConnectors.map((connector) => connector.name).join(", ");
  throw new PdppError("not_found", `pdpp has no connector ${JSON.stringify(name)}; it has: ${known}`);
}

/** Our connectors run as others do, but may read our code, and start the processes with limits that read documents. */
export function loadBuiltin({ manifest, version, program }: BuiltinConnector): RunnableConnector {
  const file = fileURLToPath(program);
  const folder = dirname(file);
  const declaration = { ...parseManifest(manifest), version };
  return { declaration, folder, entry: basename(file), codeFolders: listCodeFolders(folder), canStartProcesses: true };
}

/** In the package everything is in one folder; in a checkout the sources are next to their dependencies. */
function listCodeFolders(folder: string): string[] {
  const [, root] = /^(.*)[\\/]packages[\\/]connectors[\\/]src(?:[\\/]|$)/.exec(folder) ?? [];
  return root === undefined ? [folder] : [`${root}/packages`, `${root}/node_modules`];
}
