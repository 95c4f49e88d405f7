import { PdppError } from "@pdpp/contract/errors";

/** A route whose bodies may be longer than the default. */
export interface LongerBody {
  readonly path: RegExp;
  readonly maxBytes: number;
}

/** Fits every form and JSON request of ours, so a new route needs no limit of its own. */
const defaultMaxBytes = 64 * 1024;

const createTooLargeError = (maxBytes: number): PdppError =>
  new PdppError("resource_limit", `the request body is larger than ${Math.floor(maxBytes / 1024)} KiB`);

/**
 * Answers the request with a body that cannot be longer than its route allows. Throws at once if the announced length is too large; an unannounced
 * body fails while it is read.
 */
export function limitBody(request: Request, longer: readonly LongerBody[]): Request {
  if (request.method === "GET" || request.method === "HEAD") return request;
  const { pathname } = new URL(request.url);
  const maxBytes = longer.find(({ path }) => path.test(pathname))?.maxBytes ?? defaultMaxBytes;
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > maxBytes) throw createTooLargeError(maxBytes);
  // Node ends a body at its announced length.
  const isBounded = announced !== null && !request.headers.has("transfer-encoding");
  if (isBounded || maxBytes === Number.POSITIVE_INFINITY || request.body === null) return request;
  return new Request(request, { body: countBytes(request.body, maxBytes), duplex: "half" });
}

function countBytes(body: ReadableStream<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw createTooLargeError(maxBytes);
        controller.enqueue(chunk);
      },
    }),
  );
}
