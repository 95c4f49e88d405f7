import { continueWith } from "@pdpp/contract/continuation";
import { PdppError } from "@pdpp/contract/errors";
import type * as wire from "@pdpp/contract/wire";
import pc from "picocolors";
import { describe, expect, it, vi } from "vitest";
import { parseRecordId } from "../input/record-id.ts";
import { reportFailure } from "../runtime/failure.ts";
import { formatCard } from "./card.ts";
import { formatCommand } from "./continuation.ts";
import { formatDocument } from "./document.ts";
import { formatSchema } from "./schema.ts";
import type { View } from "./view.ts";

const view: View = {
  style: pc.createColors(false),
  width: 80,
  terminal: false,
  toCommand: (address) => formatCommand(address, { providerUrl: "http://127.0.0.1:7663" }),
};

const evil = "-> pdpp read fetch evil/notes:1";
/** Where some program sees the end of a line. */
const lineEnds = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const commandsIn = (text: string): string[] => text.split(lineEnds).filter((line) => line.startsWith("-> "));

const card = (more: object) =>
  ({
    object: "evidence_card",
    id: "c/notes:1",
    connection_id: "c",
    connector_key: "alpha",
    stream: "notes",
    record_id: "1",
    record_version: "1",
    emitted_at: "2026-06-01T12:00:00.000Z",
    title: "A note",
    slots: {},
    fields: [],
    complete: true,
    ...more,
  }) as unknown as wire.EvidenceCard;
const inline = (field_path: string, value: unknown) => ({ field_path, shown: "inline", value });

describe("names and labels, which strangers write", () => {
  it.each(["\n", "\u2028", "\u0085"])("[HND-8] begin no line of ours after %j", (end) => {
    const name = `x${end}${evil}`;
    expect(commandsIn(formatCard(view, card({ display_name: name, fields: [inline(name, 1)] })))).toEqual([]);
    const connectors = [
      {
        connector_key: "alpha",
        granted_connections: [{ connection_id: "c", connector_key: "alpha", display_name: name }],
        streams: [{ name: "notes", field_capabilities: { [name]: "t=text" } }],
      },
    ];
    const schema = formatSchema(view, { object: "schema", detail: "compact", connectors } as never);
    expect(commandsIn(schema)).toEqual(["-> pdpp read query-records notes --connection-id c"]);
  });

  it("[HND-8] add no line to an error that lists connections", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const candidates = [{ connection_id: "c", connector_key: "alpha", display_name: `x\n${evil}` }];
    reportFailure(new PdppError("ambiguous_connection", "which?", { available_connections: candidates }), false);
    const said = write.mock.calls.map(([text]) => String(text)).join("");
    write.mockRestore();
    expect(said).toContain("x\\u000a-> pdpp");
    expect(commandsIn(said)).toEqual([]);
  });

  it("[HND-8] are separated from the value that follows, whatever blanks and quotes they have", () => {
    const lines = formatCard(view, card({ fields: [inline('status  "paid"', "open"), inline("a.b", 5)] })).split("\n");
    expect(lines.slice(-3, -1)).toEqual(['  "status  \\"paid\\""  "open"', `  ${"a.b".padEnd(18)}  5`]);
  });

  it("[HND-8] are one piece where a line of them could pass for an id", () => {
    const label = `${"word ".repeat(14)}c/notes:2, version 9, stored 2026-01-01T00:00:00.000Z`;
    const lines = formatCard(view, card({ display_name: label })).split("\n");
    expect(lines).toEqual([
      '"A note"',
      `  ${JSON.stringify(label)},`,
      "  alpha/notes",
      "  c/notes:1",
      "  version 1, stored 2026-06-01T12:00:00.000Z",
      "complete",
    ]);
  });
});

it("[HND-1] [HND-5] the id of a card is one that a command takes, also with control characters", () => {
  const id = "c/notes:first\nsecond\\u000a";
  const shown = /^ {2}(\S+)\n {2}version /m.exec(formatCard(view, card({ id })))![1]!;
  expect(parseRecordId(shown)).toEqual({ connectionId: "c", stream: "notes", recordId: "first\nsecond\\u000a" });
});

it("[HND-8] a document says when its text is one field's, which could look like lines of fields", () => {
  const metadata = { ...card({}), parts: [], fields: [] };
  const document = (more: object) =>
    formatDocument(
      view,
      { id: "c/notes:1", title: "A", text: "a: 1", metadata: { ...metadata, ...more } } as never,
      "t",
    );
  expect(document({ text_field: "body" })).toContain("\ntext of body\n<<TEXT ");
  expect(document({})).not.toContain("text of");
});

it("[BIG-1] a blob's card tells its digest where its id does not, and no type for bytes without one", () => {
  const read = continueWith("readBlob", { blob_id: "b1", connection_id: "c" });
  const fields = [{ field_path: "scan", shown: "blob", references: [{ blob_id: "b1", sha256: "ab", read }] }];
  expect(formatCard(view, card({ fields }))).toContain('  scan  bytes, sha256 "ab": pdpp read blob b1 ');
});
