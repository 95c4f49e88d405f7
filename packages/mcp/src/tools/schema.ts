import { PdppError } from "@pdpp/contract/errors";
import { isCompact, toCompactSchema } from "@pdpp/evidence/schema/schema-index";
import { z } from "zod";
import { connectionId } from "../arguments.ts";
import { omitUndefined } from "../layout/call.ts";
import { formatFullSchema } from "../render/schema-full.ts";
import { formatSchemaIndex, parseCursor } from "../render/schema-index.ts";
import { formatStreamSchema } from "../render/schema-stream.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({
  stream: z.string().min(1).optional().describe("a stream: its fields and how to query it"),
  connection_id: connectionId,
  detail: z.enum(["compact", "full"]).optional().describe("full: the whole declaration; needs stream"),
  cursor: z.string().optional().describe("from a -> line"),
});

export const schema = defineTool({
  name: "schema",
  title: "List available data",
  description:
    "Schema of what you may read: connectors, connections (accounts) and streams; call it first. " +
    "With stream: its fields, filters, sort, relations and aggregations, with a legend.",
  input,
  output: { data: "object", next: "object", field_capability_legend: "object" },
  async call({ api }, { detail, cursor, ...asked }) {
    const { stream, connection_id } = asked;
    const { from } = parseCursor(cursor ?? "0");
    if (detail === "full") {
      if (stream === undefined)
        throw new PdppError(
          "invalid_argument",
          'detail "full" needs a stream, and connection_id when several connections have it: ' +
            'schema {"stream": NAME, "connection_id": ID, "detail": "full"}. schema without arguments lists both',
          { param: "detail" },
        );
      const full = await api.schema(omitUndefined({ ...asked, detail }));
      return formatFullSchema(isCompact(full) ? rejectDetail() : full, asked, from);
    }
    const view = "compact" as const;
    const compact = toCompactSchema(await api.schema(omitUndefined({ ...asked, view })));
    return stream === undefined
      ? formatSchemaIndex(compact, connection_id, cursor)
      : formatStreamSchema(compact, { stream, connection_id }, from);
  },
});

function rejectDetail(): never {
  throw new PdppError("api_error", "the server returned the compact schema instead of the full one");
}
