import type { JsonObject } from "@pdpp/contract/declaration";
import { z } from "zod";
import { readRequest } from "./requirements.ts";

/** A setting or a credential that a connector asks for. Its texts are the connector's. */
export interface SetupField {
  readonly name: string;
  readonly label: string;
  /** The environment variable in which the connector gets it. */
  readonly variable: string;
  readonly description?: string | undefined;
  readonly example?: string | undefined;
  /** The only values it can have; the first is the default. */
  readonly choices?: readonly FieldChoice[] | undefined;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Obtained by signing in at a provider, not typed. */
  readonly isToken: boolean;
}

interface FieldChoice {
  readonly value: string;
  readonly label: string;
}

const maxFields = 30;
const maxChoices = 50;
const maxTextChars = 200;

const text = z
  .string()
  .transform((value) => value.slice(0, maxTextChars))
  .optional()
  .catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const declaredField = z.object({
  name: z.string().min(1).max(100).optional(),
  label: text,
  description: text,
  example: text,
  choices: z
    .array(z.object({ value: z.string().max(maxTextChars), label: z.string().max(maxTextChars) }))
    .max(maxChoices)
    .optional()
    .catch(undefined),
  env: z.union([z.string(), z.array(z.string())]).optional(),
  secret: flag,
  required: flag,
});
const setup = z.object({ credential_capture: z.object({ fields: z.array(declaredField).max(maxFields) }) });

const isToken = (variable: string): boolean => /(?:^|_)ACCESS_TOKEN$/.test(variable) && !/PERSONAL/.test(variable);

/** Many public manifests do not say which fields are secret; then all are, except those that say they are not. */
export function listSetupFields(manifest: JsonObject): SetupField[] {
  const parsed = setup.safeParse(manifest.setup ?? {});
  const declared = parsed.success ? parsed.data.credential_capture.fields : [];
  const { variables } = readRequest(manifest);
  const saysSecret = declared.some(({ secret }) => secret === true);
  return declared.flatMap(({ name, label, description, example, choices, env = [], secret, required }) => {
    const variable = [env].flat().find((each) => variables.includes(each));
    if (variable === undefined) return [];
    return [
      {
        name: name ?? variable,
        label: label ?? humanize(name ?? variable),
        variable,
        description,
        example,
        choices,
        isSecret: secret ?? !saysSecret,
        isRequired: required === true,
        isToken: isToken(variable),
      },
    ];
  });
}

/** Fields that a person fills in: a token only if there is nothing else to sign in with. */
export function listTypedFields(fields: readonly SetupField[]): readonly SetupField[] {
  const hasOther = fields.some((field) => field.isSecret && !field.isToken);
  return hasOther ? fields.filter((field) => !field.isToken) : fields;
}

/** `api_key` becomes "Api key". */
export function humanize(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim().toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
