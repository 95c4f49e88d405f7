import { PdppError } from "@pdpp/contract/errors";
import type { CompactSchema, FullSchema } from "@pdpp/contract/wire";
import { z } from "zod";
import { connectionId } from "../arguments.ts";
import { definedOnly } from "../continuation.ts";
import { fullDetail } from "../render/schema-full.ts";
import { schemaIndex } from "../render/schema-index.ts";
import { streamDetail } from "../render/schema-stream.ts";
import { defineTool } from "../tool.ts";

const input = z.strictObject({
  stream: z.string().min(1).optional().describe("a stream: its fields and what can be done with them"),
  connection_id: connectionId,
  detail: z.enum(["compact", "full"]).optional().describe("full: all that is declared; needs stream"),
  cursor: z.string().regex(/^\d+$/, "must come from a -> line").optional().describe("from a -> line"),
});

export const schema = defineTool({
  name: "schema",
  title: "What there is",
  description:
    "Schema of what you may read: connectors, connections (accounts) and streams; call it first. " +
    "With stream: its fields, filters, sort, relations and aggregations, with a legend.",
  input,
  output: { data: "object", next: "object", field_capability_legend: "object" },
  async call({ api }, args) {
    const { cursor = "0", ...narrowed } = args;
    if (args.detail === "full") {
      if (args.stream === undefined)
        throw new PdppError(
          "invalid_argument",
          "detail full is for one stream at a time: send stream with it; schema without arguments lists the streams",
          {
            param: "detail",
          },
        );
      return fullDetail((await api.schema(definedOnly(narrowed))) as FullSchema, args, Number(cursor));
    }
    const compact = (await api.schema(
      definedOnly({ ...narrowed, detail: undefined, view: "compact" }),
    )) as CompactSchema;
    const { stream } = args;
    return stream === undefined
      ? schemaIndex(compact, args.connection_id, Number(cursor))
      : streamDetail(compact, { ...args, stream }, Number(cursor));
  },
});
