import { type CallToolResult, type ReadResourceResult, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { PdppError } from "@pdpp/contract/errors";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { parseUri } from "@pdpp/evidence/handles/uri";
import type { ToolContext } from "./tool.ts";

/** The same reads as resources, for hosts that support them. Everything is also available through tools. */
export const resourceTemplates = [
  {
    name: "record",
    uriTemplate: "pdpp://record/{handle}",
    description: "One record, as fetch gives it. handle: a percent-encoded record id",
    mimeType: "application/json",
  },
  {
    name: "field-window",
    uriTemplate: "pdpp://field-window/{handle}",
    description: "Part of a field, as read_record_field gives it",
    mimeType: "application/json",
  },
  { name: "blob", uriTemplate: "pdpp://blob/{handle}", description: "The bytes of a file that a record refers to" },
];

const mostBlobBytes = 8 * 1024 * 1024;

type CallTool = (name: string, args: Record<string, unknown>) => Promise<CallToolResult>;

export async function readResource(context: ToolContext, uri: string, call: CallTool): Promise<ReadResourceResult> {
  const named = parseUri(uri);
  if (named === null) throw new ResourceNotFoundError(uri);
  if (named.kind === "blob") return { contents: [await readBlobContents(context, uri, named.name)] };
  const result =
    named.kind === "record"
      ? await call("fetch", { id: formatHandle(named.name) })
      : await call("read_record_field", {
          id: formatHandle(named.name),
          field_path: named.name.field,
          ...named.name.selector,
        });
  if (result.isError === true) throw makeNotFound(uri, (result.structuredContent as { error: Words }).error);
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(result.structuredContent) }] };
}

interface Words {
  readonly code: string;
  readonly message: string;
}

/** The protocol has one code for unreadable resources; the message says why. */
const makeNotFound = (uri: string, { code, message }: Words): ResourceNotFoundError =>
  new ResourceNotFoundError(uri, `${code}: ${message}`);

async function readBlobContents(
  { api }: ToolContext,
  uri: string,
  { connectionId, blobId }: { connectionId: string; blobId: string },
) {
  const blob = await api.readBlob({ blob_id: blobId, connection_id: connectionId }).catch((error: unknown) => {
    if (error instanceof PdppError) throw makeNotFound(uri, error);
    throw error;
  });
  if (blob.sizeBytes > mostBlobBytes) {
    await blob.bytes.cancel();
    return {
      uri,
      mimeType: "text/plain",
      text: `${blob.sizeBytes} bytes of ${blob.mimeType}: too many for a resource`,
    };
  }
  const bytes = await new Response(blob.bytes).arrayBuffer();
  return { uri, mimeType: blob.mimeType, blob: Buffer.from(bytes).toString("base64") };
}
