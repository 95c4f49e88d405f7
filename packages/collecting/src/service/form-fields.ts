import type { FormField, FormValues } from "@pdpp/console/sources/source-service";
import type { JsonObject } from "@pdpp/contract/declaration";
import { PdppError } from "@pdpp/contract/errors";
import { z } from "zod";
import type { InteractionMessage } from "../protocol/messages.ts";

/** The fields of a form, from what a connector declares. Its texts are untrusted; pages isolate them. */

const maxLabelChars = 100;
const maxFields = 30;
const name = z.string().min(1).max(100);
const label = z.string().max(1000).optional().catch(undefined);

const declaredField = z.object({
  name,
  label,
  secret: z.boolean().optional().catch(undefined),
  required: z.boolean().optional().catch(undefined),
});
const setup = z.object({ credential_capture: z.object({ fields: z.array(declaredField).max(maxFields) }) });

/** The credentials that a manifest asks for. They are secret and required unless it says otherwise. */
export function listSetupFields(manifest: JsonObject): FormField[] {
  const parsed = setup.safeParse(manifest.setup);
  if (!parsed.success) return [];
  return parsed.data.credential_capture.fields.map(({ name: field, label: shown, secret, required }) => ({
    name: field,
    label: (shown ?? humanize(field)).slice(0, maxLabelChars),
    isSecret: secret ?? true,
    isRequired: required ?? true,
  }));
}

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

const humanize = (field: string): string => {
  const words = field.replaceAll(/[_-]+/g, " ").trim().toLowerCase();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

/** The values of these fields only, without those left empty. Throws if a required one is missing. */
export function pickValues(fields: readonly FormField[], values: FormValues): Record<string, string> {
  const missing = fields.find((field) => field.isRequired && (values[field.name] ?? "").trim() === "");
  if (missing !== undefined)
    throw new PdppError("invalid_argument", `enter a value for "${missing.label}"`, { param: missing.name });
  return Object.fromEntries(
    fields.flatMap(({ name: field }) => {
      const value = values[field] ?? "";
      return value === "" ? [] : [[field, value]];
    }),
  );
}
