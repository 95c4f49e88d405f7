import { parseManifest } from "@pdpp/contract/manifest";
import { expect, test } from "vitest";
import { createMentionReader } from "./mentions.ts";

const person = { type: "string", x_pdpp_type: "person" };

const parseStream = (presentation: object) =>
  parseManifest({
    connector_key: "bank",
    version: "1",
    display_name: "Bank",
    streams: [
      {
        name: "transactions",
        primary_key: ["id"],
        presentation,
        schema: {
          type: "object",
          required: ["id"],
          properties: {
            id: { type: "string" },
            payee: { ...person, x_pdpp_role: "actor" },
            approved_by: person,
          },
        },
      },
    ],
  }).streams[0]!;

test("[PPL-1] the payee of a transaction is not a person, whoever else it names is", () => {
  const record = { id: "t1", payee: "RETURNED CHECK FEE", approved_by: "Noor Achterwald" };
  const readNames = (presentation: object) =>
    createMentionReader(parseStream(presentation))
      ?.read(record, "bank_1")
      .mentions.map(({ name }) => name);
  expect(readNames({ kind: "transaction", fields: { payee: "payee" } })).toEqual(["Noor Achterwald"]);
  expect(readNames({ kind: "document" })).toEqual(["RETURNED CHECK FEE", "Noor Achterwald"]);
});
