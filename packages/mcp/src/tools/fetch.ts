import type { Json, JsonObject } from "@pdpp/contract/declaration";
import type { ReadApi } from "@pdpp/contract/operations";
import type { SingleDocument } from "@pdpp/contract/wire";
import { z } from "zod";
import { connectionId, recordId } from "../arguments.ts";
import { definedOnly, toolCall } from "../continuation.ts";
import { type RecordPlace, readRecord, recordNamed } from "../record-id.ts";
import { fieldObject } from "../render/card.ts";
import { fits, sizes } from "../size.ts";
import { type Answer, defineTool } from "../tool.ts";

const input = z.strictObject({
  id: recordId,
  fields: z.array(z.string().min(1)).min(1).optional().describe("only these fields"),
  after_field: z.string().min(1).optional().describe("the fields after this one, from `omitted`"),
  connection_id: connectionId,
});

export const fetch = defineTool({
  name: "fetch",
  title: "Fetch a record",
  description:
    "Fetch one record as a document by its id: title, text and metadata, bounded. " +
    "What did not fit is described in metadata, with the call that reads it. To see only a part of a long text, use read_record_field.",
  input,
  output: { id: "string", title: "string", text: "string", url: "string", metadata: "object" },
  call: ({ api }, args) => readRecord(recordNamed(args.id, args.connection_id), (place) => document(api, place, args)),
});
type Args = z.infer<typeof input>;

async function document(api: ReadApi, place: RecordPlace, args: Args): Promise<Answer> {
  for (let chars: number | undefined; ; ) {
    const request = { ...place, view: "document", fields: args.fields, after_field: args.after_field };
    const read = (await api.fetch(
      definedOnly({ ...request, limit_chars: chars }) as never,
    )) as unknown as SingleDocument;
    const answer = answerOf(read);
    if (fits(answer, sizes.rawDocument) || chars === leastChars) return answer;
    chars = Math.max(leastChars, Math.floor((chars ?? startChars) * 0.7));
  }
}

const startChars = 8192;
const leastChars = 64;

/** The document: these five keys, the same in both forms. What matters of the metadata comes before the text. */
function answerOf({ id, title, text, metadata }: SingleDocument): Answer {
  const { complete, truncated, parts, fields, omitted, id: _, ...origin } = metadata;
  const cut = parts.flatMap((part) => (part.read === undefined ? [] : [{ ...part, read: toolCall(part.read) }]));
  const described = fields.filter(({ shown }) => shown !== "inline").map((field) => fieldObject(id, field));
  const whole = fields.flatMap((field) => (field.shown === "inline" ? [[field.field_path, field.value] as const] : []));
  const structured: JsonObject = {
    id,
    title,
    url: "",
    metadata: {
      complete,
      text_truncated: truncated,
      ...(cut.length === 0 ? {} : { continues: cut as unknown as Json }),
      ...(omitted === undefined
        ? {}
        : { omitted: { count: omitted.count, read: toolCall(omitted.read) as unknown as Json } }),
      ...(origin as JsonObject),
      ...(whole.length === 0 ? {} : { fields: Object.fromEntries(whole) }),
      ...(described.length === 0 ? {} : { described }),
    },
    text,
  };
  return { structured, text: JSON.stringify(structured, null, 1) };
}
