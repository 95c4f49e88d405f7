import { z } from "zod";
import { connectionId, expandLimit, recordId, toWireExpandLimit } from "../arguments.ts";
import { addOriginToField, createBlobMeta, listBlobReads, listBlobUris } from "../layout/bytes.ts";
import { layOutDocument, stringifyDocument } from "../layout/document.ts";
import { sizes } from "../layout/part.ts";
import { parseRecordId, type RecordPlace, readRecord } from "../record-id.ts";
import { fits } from "../size.ts";
import { type Answer, defineTool, type ToolContext } from "../tool.ts";

/** How often a document may repeat the server's URL: once per file it describes. */
const addressCopies = 16;

const input = z.strictObject({
  id: recordId,
  fields: z.array(z.string().min(1)).min(1).optional().describe("only these fields"),
  after_field: z.string().min(1).optional().describe("the fields after this one, from `omitted`"),
  expand: z.array(z.string().min(1)).optional().describe("relations to bring along, as `related` names them"),
  expand_limit: expandLimit,
  connection_id: connectionId,
});

export const fetch = defineTool({
  name: "fetch",
  title: "Fetch a record",
  description:
    "Fetch one record as a document by its id: title, text and metadata, bounded. " +
    "metadata describes what did not fit, with the call that reads it. To read part of a long text, use read_record_field.",
  input,
  output: { id: "string", title: "string", text: "string", url: "string", metadata: "object" },
  call: (context, args) =>
    readRecord(parseRecordId(args.id, args.connection_id), (place) => readDocument(context, place, args)),
});
type Args = z.infer<typeof input>;

async function readDocument(context: ToolContext, place: RecordPlace, args: Args): Promise<Answer> {
  const answer = await formatDocument(context, place, args, 0);
  // The server measured URLs without its origin.
  return fits(answer, sizes.rawDocument)
    ? answer
    : formatDocument(context, place, args, addressCopies * context.origin.length);
}

async function formatDocument(
  { api, origin }: ToolContext,
  place: RecordPlace,
  { fields, after_field, expand, expand_limit }: Args,
  spare: number,
): Promise<Answer> {
  const limits = toWireExpandLimit(expand_limit);
  const read = await api.fetch({
    ...place,
    view: "document",
    max_chars: sizes.rawDocument - sizes.envelopeChars - spare,
    ...(fields === undefined ? {} : { fields }),
    ...(after_field === undefined ? {} : { after_field }),
    ...(expand === undefined ? {} : { expand }),
    ...(limits === undefined ? {} : { expand_limit: limits }),
  });
  if (read.object !== "record_document") throw new Error(`a ${read.object} where a document was asked for`);
  const shown = read.metadata.fields.map((field) => addOriginToField(field, origin));
  const structured = layOutDocument({ ...read, metadata: { ...read.metadata, fields: shown } });
  return {
    structured,
    text: stringifyDocument(structured),
    ...createBlobMeta(listBlobUris(listBlobReads(read.metadata.fields))),
  };
}
