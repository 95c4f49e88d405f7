import type { JsonObject } from "@pdpp/contract/declaration";

/** A setting of a source, as a public manifest describes it in `setup.credential_capture.fields`. */
export interface SettingField {
  /** The option on the command line, without dashes, and the name in forms. */
  readonly name: string;
  readonly label: string;
  /** The environment variable in which the connector gets it. */
  readonly env: string;
  readonly description?: string;
  readonly example?: string;
  /** The only values it can have; the first is the default. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly required?: true;
  readonly secret?: true;
}

interface ConnectorParts {
  readonly fields: readonly SettingField[];
  /** How often it is worth asking. */
  readonly intervalSeconds: { readonly recommended: number; readonly minimum: number };
}

/** Where no field says whether it is secret, hosts take all for secrets. */
const toJson = ({ choices, ...field }: SettingField): JsonObject => ({
  secret: false,
  ...field,
  ...(choices !== undefined && { choices: choices.map((choice) => ({ ...choice })) }),
});

/** Adds what the public protocol asks of a connector to the manifest of its records. */
export function defineConnectorManifest(records: JsonObject, { fields, intervalSeconds }: ConnectorParts): JsonObject {
  return {
    ...records,
    runtime_requirements: { bindings: { network: { required: true } } },
    setup: {
      modality: "static_secret",
      credential_capture: { fields: fields.map(toJson) },
    },
    capabilities: {
      refresh_policy: {
        recommended_mode: "automatic",
        recommended_interval_seconds: intervalSeconds.recommended,
        minimum_interval_seconds: intervalSeconds.minimum,
        background_safe: true,
      },
    },
  };
}
