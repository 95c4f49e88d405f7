import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";

/** Where a connector puts files. Its token works during one run, and only adds files to the run's connection. */
export interface BlobEndpoint {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

const maxUrlChars = 4000;

export async function openBlobEndpoint(owner: OwnerApi, connectionId: string, maxBytes: number): Promise<BlobEndpoint> {
  const token = `pdpp_run_${randomBytes(32).toString("base64url")}`;
  let left = maxBytes;
  async function* limit(request: IncomingMessage): AsyncGenerator<Uint8Array> {
    for await (const chunk of request as AsyncIterable<Uint8Array>) {
      left -= chunk.byteLength;
      if (left < 0) throw new PdppError("resource_limit", `a run may add at most ${maxBytes} bytes of files`);
      yield chunk;
    }
  }
  const put = async (request: IncomingMessage): Promise<unknown> => {
    if (!isAuthorized(request.headers.authorization, token))
      throw new PdppError("authentication_error", "the token is not valid for this run");
    const url = new URL((request.url ?? "").slice(0, maxUrlChars), "http://127.0.0.1");
    if (request.method !== "POST" || url.pathname !== "/v1/blobs")
      throw new PdppError("permission_error", "a run may only add files: POST /v1/blobs");
    const said = url.searchParams.get("connector_instance_id") ?? url.searchParams.get("connection_id");
    if (said !== null && said !== connectionId)
      throw new PdppError("permission_error", "the token is limited to the connection of its run");
    const type = url.searchParams.get("mime_type") ?? request.headers["content-type"];
    const place = { connection_id: connectionId, ...(type && { mime_type: type }) };
    return { object: "blob", ...(await owner.blobs.put(place, limit(request))) };
  };
  const server = createServer((request, response) => {
    put(request).then(
      (reference) => respond(response, 201, reference),
      (error: unknown) => {
        const { code, status, message } =
          error instanceof PdppError ? error : new PdppError("api_error", "the file could not be stored");
        // The rest of the file is not read.
        response.setHeader("connection", "close");
        respond(response, status, { error: { code, message } });
        request.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the endpoint has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    token,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function isAuthorized(header: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
