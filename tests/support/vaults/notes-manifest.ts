import type { JsonObject } from "@pdpp/contract/declaration";

/** A connector with long and nested fields, for tests of windows. */
export const notesManifest: JsonObject = {
  connector_key: "notes",
  version: "1",
  display_name: "Notes",
  streams: [
    {
      name: "notes",
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "at",
      consent_time_field: "at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          at: { type: ["string", "null"], format: "date-time", x_pdpp_role: "event-time" },
          body: { type: ["string", "null"] },
          count: { type: ["integer", "null"] },
          tree: { type: ["object", "array", "null"] },
          "a.b": { type: "string" },
          secret: { type: ["object", "string"] },
        },
      },
    },
  ],
};
