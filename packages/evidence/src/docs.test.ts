import { readFileSync } from "node:fs";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { parseQuery } from "@pdpp/language/query/query";
import { expect, it } from "vitest";
import { createCard } from "./cards/card.ts";
import { type EvidenceRecord, getPlace } from "./cards/record.ts";
import { findMatchWindows, matchEvidence } from "./passages/match.ts";
import { countChars } from "./text/text.ts";

const { streams } = parseManifest({
  connector_key: "notes",
  version: "1.0.0",
  streams: [
    {
      name: "notes",
      primary_key: ["id"],
      cursor_field: "updated_at",
      display: { label: "Notes" },
      schema: {
        type: "object",
        properties: {
          id: { type: "string" },
          title: { type: "string", x_pdpp_role: "primary-title" },
          body: { type: "string", x_pdpp_type: "markdown", x_pdpp_role: "body" },
          scan: { type: "object", x_pdpp_type: "blob", x_pdpp_role: "blob-reference" },
          pages: { type: "integer" },
          updated_at: { type: "string", format: "date-time", x_pdpp_type: "timestamp", x_pdpp_role: "event-time" },
        },
        required: ["id"],
      },
    },
  ],
});
const body =
  `The ferry to Hiddensee leaves at nine from Schaprode. ${"We were told to be there half an hour early, with the bicycles. ".repeat(9)}` +
  "If it is cancelled, the small bridge at Barhöft is the place to wait; somebody will come by car.";
const record: EvidenceRecord = {
  connectorKey: "notes",
  connection: { id: "cin_7f", label: "Ada's notes" },
  stream: streams[0]!,
  recordId: "n-18",
  version: "2",
  emittedAt: "2026-04-01T08:00:00.000Z",
  data: {
    id: "n-18",
    title: "Ferry plans",
    body,
    scan: { blob_id: "blob_sha256_9c1e", mime_type: "application/pdf", size_bytes: 48213, sha256: "9c1e" },
    pages: 3,
    updated_at: "2026-03-30T19:12:00+02:00",
  },
  granted: null,
};

const onTheWire = (value: object): JsonObject => JSON.parse(JSON.stringify(value));

/** The JSON blocks of the page, in order. */
const blocks = [
  ...readFileSync(new URL("../../../docs/evidence.md", import.meta.url), "utf8").matchAll(/```json\n(.*?)```/gs),
];
const shown = blocks.map(([, text]) => JSON.parse(text!) as JsonObject);

it("docs/evidence.md shows the card we create", () => expect(shown[0]).toEqual(onTheWire(createCard(record))));

it("docs/evidence.md shows the evidence we create", () => {
  const [window] = findMatchWindows(body, parseQuery("small bridges"));
  expect(shown[1]).toEqual(onTheWire(matchEvidence(getPlace(record), "body", countChars(body), window!)));
});
