import type { JsonObject } from "@pdpp/contract/declaration";
import type { SourceDocument } from "@pdpp/contract/sources";
import { z } from "zod";
import { findBuiltin } from "../builtin/builtin.ts";
import { loadInstalled } from "../install/connector-package.ts";
import { readRequest } from "../install/requirements.ts";
import { readConnectorSettings } from "../source-settings.ts";

/** The credentials that a connector's manifest asks for. */
export interface SignInFields {
  /** The connector's key, which decides the scope at a provider. */
  readonly connector: string;
  /** The fields to ask the owner for. */
  readonly fields: readonly SecretField[];
  /** The variable for an access token, if the connector takes one. */
  readonly tokenVariable?: string;
}

export interface SecretField {
  readonly name: string;
  readonly label: string;
  readonly variable: string;
  readonly isRequired: boolean;
}

const field = z.object({
  name: z.string().optional(),
  label: z.string().optional(),
  env: z.union([z.string(), z.array(z.string())]).optional(),
  secret: z.boolean().optional(),
  required: z.boolean().optional(),
});
const setup = z.object({ credential_capture: z.object({ fields: z.array(field).optional() }).optional() });

const isToken = (variable: string): boolean => /(?:^|_)ACCESS_TOKEN$/.test(variable) && !/PERSONAL/.test(variable);

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
  const parsed = setup.safeParse(manifest.setup ?? {});
  const { variables } = readRequest(manifest);
  const declared = ((parsed.success ? parsed.data.credential_capture?.fields : undefined) ?? []).flatMap(
    ({ name, label, env, secret, required }) => {
      const variable = [env ?? []].flat().find((each) => variables.includes(each) && !(each in given));
      if (variable === undefined) return [];
      const title = label ?? name ?? variable;
      return [{ name: name ?? variable, label: title, variable, isSecret: secret, isRequired: required === true }];
    },
  );
  // Many public manifests do not say which fields are secret.
  const saysSecret = declared.some(({ isSecret }) => isSecret === true);
  const secrets = declared.filter(({ isSecret }) => isSecret ?? !saysSecret);
  const tokenVariable = declared.find(({ variable }) => isToken(variable))?.variable;
  const typed = secrets.filter(({ variable }) => variable !== tokenVariable);
  const fields = (typed.length > 0 ? typed : secrets).map(({ isSecret: _, ...rest }) => rest);
  return { connector, fields, ...(tokenVariable === undefined ? {} : { tokenVariable }) };
}
