import type { ConnectorDeclaration } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { peopleConnectorKey, peopleStream } from "@pdpp/contract/people";

export const decisionsStream = "decisions";

const textList = { type: "array", items: { type: "string" } };
const maybeDay = { type: ["string", "null"], format: "date" };

export const peopleVersion = "1.0.0";

/** The built-in connector. `derived` keeps it out of every selection but its own: a person summarizes all sources. */
const manifest = {
  connector_key: peopleConnectorKey,
  version: peopleVersion,
  display_name: "People",
  derived: true,
  streams: [
    {
      name: peopleStream,
      description:
        "Everyone in your sources, with their addresses and how often you were in touch. It summarizes all sources, also those that are not shared.",
      display: { label: "People" },
      presentation: { kind: "person", fields: { names: "names", emails: "addresses", phones: "numbers" } },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "last_contact",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        properties: {
          id: { type: "string" },
          display_name: { type: "string", x_pdpp_type: "text", x_pdpp_role: "primary-title" },
          known_as: { type: "string", x_pdpp_role: "secondary", description: "Other names, addresses and numbers." },
          names: textList,
          addresses: textList,
          numbers: textList,
          things: { type: "integer", description: "Records in which the person takes part." },
          source_count: { type: "integer" },
          first_contact: maybeDay,
          first_source: { type: ["string", "null"] },
          last_contact: { ...maybeDay, x_pdpp_role: "event-time" },
          last_source: { type: ["string", "null"] },
          months: { type: "object", description: "Records per month.", additionalProperties: { type: "integer" } },
          sources: {
            type: "array",
            description: "Records per stream of each source.",
            items: {
              type: "object",
              properties: {
                connection_id: { type: "string" },
                stream: { type: "string" },
                things: { type: "integer" },
                months: { type: "object", additionalProperties: { type: "integer" } },
              },
            },
          },
          identities: {
            type: "array",
            description: "What the person is recognized by, and where it comes from.",
            items: {
              type: "object",
              properties: {
                identity: { type: "string" },
                value: { type: "string" },
                kind: { type: "string" },
                things: { type: "integer" },
                cards: { type: "integer" },
                connection_ids: textList,
              },
            },
          },
        },
        required: ["id", "display_name"],
      },
      query: {
        search: { lexical_fields: ["display_name", "known_as"] },
        range_filters: { last_contact: ["gte", "gt", "lte", "lt"] },
        aggregations: { count: true },
      },
    },
    {
      name: decisionsStream,
      description: "Your answers to who is the same person and who is not.",
      display: { label: "Who is the same person" },
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "decided_at",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_type: "text", x_pdpp_role: "primary-title" },
          kind: { enum: ["same", "different"] },
          identity: { type: "string" },
          others: textList,
          decided_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
        },
        required: ["id", "title", "kind", "identity", "others", "decided_at"],
      },
      query: { aggregations: { count: true } },
    },
  ],
};

/** Checking its schemas takes long enough to slow down the start of a server. */
export const parsePeopleManifest = (): ConnectorDeclaration => parseManifest(manifest);
