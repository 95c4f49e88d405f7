import { parseManifest } from "@pdpp/contract/manifest";
import { describe, expect, it } from "vitest";
import { groupFields } from "./field-groups.ts";
import { describeGroup } from "./part-words.ts";

const describeFields = (properties: Readonly<Record<string, object>>) => {
  const declaration = parseManifest({
    connector_id: "https://example.org/connectors/mail",
    connector_key: "mail",
    version: "1.0.0",
    display_name: "Mail",
    streams: [
      {
        name: "mails",
        semantics: "mutable_state",
        primary_key: ["id"],
        selection: { fields: true, resources: true },
        schema: { type: "object", required: ["id"], properties: { id: { type: "string" }, ...properties } },
      },
    ],
  });
  return declaration.streams.flatMap((stream) => groupFields(stream).map((group) => describeGroup(stream, group)));
};

describe("the words for what is read", () => {
  it("[CON-22] name people, titles and dates in the plural, and leave out keys", () => {
    const [headings, text, files, details] = describeFields({
      from_name: { type: "string", x_pdpp_role: "actor" },
      subject: { type: "string", x_pdpp_role: "primary-title" },
      category: { type: "string", x_pdpp_role: "secondary" },
      to: { type: "array", x_pdpp_type: "person" },
      people: { type: "array", x_pdpp_type: "person" },
      sent_at: { type: "string", format: "date-time", x_pdpp_role: "event-time" },
      body: { type: "string", x_pdpp_role: "body" },
      file: { type: ["object", "null"], x_pdpp_type: "blob" },
      flags: { type: "array" },
    });
    expect(headings?.included).toEqual(["senders", "subjects", "categories", "recipients", "people", "dates"]);
    expect([text?.included, files?.included, details?.included]).toEqual([
      ["texts"],
      ["attachments"],
      ["other details"],
    ]);
  });

  it("[CON-22] say nothing about a group that only holds keys", () => {
    expect(describeFields({})).toEqual([{ included: [], missing: "names, dates and titles" }]);
  });
});
