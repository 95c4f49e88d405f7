import type { JsonObject } from "@pdpp/contract/declaration";
import type { SourceDocument } from "@pdpp/contract/sources";
import { findBuiltin } from "../builtin/builtin.ts";
import { loadInstalled } from "../install/connector-package.ts";
import { listSetupFields, listTypedFields, type SetupField } from "../install/setup-fields.ts";
import { readConnectorSettings } from "../source-settings.ts";

/** The credentials that a connector's manifest asks for. */
export interface SignInFields {
  /** The connector's key, which decides the scope at a provider. */
  readonly connector: string;
  /** The fields to ask the owner for. */
  readonly fields: readonly SetupField[];
  /** The variable for an access token, if the connector takes one. */
  readonly tokenVariable?: string;
}

/** Omits settings and paths that the source already has. */
export async function loadSignInFields(source: SourceDocument, dataDir: string): Promise<SignInFields> {
  const settings = readConnectorSettings(source);
  if ("builtin" in settings) {
    const { name, manifest } = findBuiltin(settings.builtin);
    return readSignInFields(name, manifest, settings.values);
  }
  const { digest, paths, ...names } = settings;
  const { declaration } = await loadInstalled(dataDir, digest, names);
  return readSignInFields(declaration.connectorKey, declaration.manifest, paths);
}

function readSignInFields(connector: string, manifest: JsonObject, given: Readonly<Record<string, string>>) {
  const declared = listSetupFields(manifest).filter(({ variable }) => !(variable in given));
  const tokenVariable = declared.find((field) => field.isToken)?.variable;
  const fields = listTypedFields(declared.filter(({ isSecret }) => isSecret));
  return { connector, fields, ...(tokenVariable === undefined ? {} : { tokenVariable }) };
}
