import type { FormField, FormValues } from "@pdpp/console/sources/source-service";
import { PdppError } from "@pdpp/contract/errors";
import { z } from "zod";
import { humanize, type SetupField } from "../install/setup-fields.ts";
import type { InteractionMessage } from "../protocol/messages.ts";

/** The fields of a form, from what a connector declares. Its texts are untrusted; pages isolate them. */

const maxLabelChars = 100;
const maxFields = 30;
const name = z.string().min(1).max(100);
const label = z.string().max(1000).optional().catch(undefined);

const property = z.object({
  title: label,
  format: z.string().optional().catch(undefined),
  writeOnly: z.boolean().optional().catch(undefined),
});
const answerSchema = z.object({
  properties: z.record(name, property.catch({})),
  required: z.array(z.string()).optional().catch(undefined),
});

const oneTimeCode: FormField = { name: "code", label: "One-time code", isSecret: false, isRequired: true };

/** The fields of an answer. Without a schema a connector expects a code, unless the action is elsewhere. */
export function listAnswerFields({ kind, schema }: Pick<InteractionMessage, "kind" | "schema">): FormField[] {
  const parsed = answerSchema.safeParse(schema);
  const properties = parsed.success ? Object.entries(parsed.data.properties).slice(0, maxFields) : [];
  if (properties.length === 0) return kind === "manual_action" ? [] : [oneTimeCode];
  const required = parsed.data?.required;
  return properties.map(([field, { title, format, writeOnly }]) => ({
    name: field,
    label: (title ?? humanize(field)).slice(0, maxLabelChars),
    isSecret: writeOnly === true || format === "password" || (kind === "credentials" && secretName.test(field)),
    isRequired: required?.includes(field) ?? true,
  }));
}

const secretName = /pass|secret|token|key|pin/i;

export const toFormFields = (fields: readonly SetupField[]): FormField[] =>
  fields.map(({ name: field, label: shown, description, example, choices, isSecret, isRequired }) => ({
    name: field,
    label: shown,
    isSecret,
    isRequired,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    ...(choices !== undefined && { choices }),
  }));

type ValueField = Pick<FormField, "name" | "label" | "isRequired"> & { readonly variable?: string };

/** The values of these fields only, by variable if they have one, without those left empty. Throws if a required one is missing. */
export function pickValues(fields: readonly ValueField[], values: FormValues): Record<string, string> {
  const missing = fields.find((field) => field.isRequired && (values[field.name] ?? "").trim() === "");
  if (missing !== undefined)
    throw new PdppError("invalid_argument", `enter a value for "${missing.label}"`, { param: missing.name });
  return Object.fromEntries(
    fields.flatMap(({ name: field, variable = field }) => {
      const value = values[field] ?? "";
      return value === "" ? [] : [[variable, value]];
    }),
  );
}
