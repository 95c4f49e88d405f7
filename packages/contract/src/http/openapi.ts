import { z } from "zod";
import { problemStatus } from "../errors.ts";
import type { JsonObject } from "../manifest/declaration.ts";
import { type Operation, operations } from "../operations.ts";
import { errorBody } from "../wire.ts";

export function buildOpenApiDocument(options: { readonly version: string; readonly serverUrl?: string }): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of Object.values(operations) as Operation[]) {
    paths[operation.path] ??= {};
    paths[operation.path]![operation.method.toLowerCase()] = buildOperation(operation);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "pdpp resource server",
      version: options.version,
      summary: "Reads of personal data, inside grants the owner gave",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    ...(options.serverUrl === undefined ? {} : { servers: [{ url: options.serverUrl }] }),
    security: [{ bearer: [] }],
    paths: paths as unknown as JsonObject,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token the owner issued with a grant" },
      },
      schemas: { Error: buildSchema(errorBody) },
    },
  };
}

function buildSchema(type: z.ZodType): JsonObject {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input", unrepresentable: "any" }) as JsonObject;
  return schema;
}

function buildOperation(operation: Operation): JsonObject {
  return {
    operationId: operation.name,
    summary: operation.summary,
    tags: [operation.audience],
    parameters: listParameters(operation),
    ...(operation.body === undefined ? {} : { requestBody: buildRequestBody(operation.body) }),
    responses: { ...buildSuccess(operation), ...listErrors(operation) },
  };
}

function listParameters({ input, path }: Operation): JsonObject[] {
  return Object.entries(input.shape).map(([name, type]) => {
    const inPath = path.includes(`{${name}}`);
    const schema = buildSchema(type as z.ZodType);
    const { description, ...rest } = schema;
    const isMap = rest.type === "object";
    const isList = rest.type === "array";
    return {
      name,
      in: inPath ? "path" : "query",
      required: inPath || !(type as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      ...(isMap ? { style: "deepObject", explode: true } : isList ? { style: "form", explode: true } : {}),
      schema: rest,
    };
  });
}

const buildRequestBody = (body: "ndjson" | "bytes" | "push"): JsonObject =>
  body === "push"
    ? {
        required: false,
        content: {
          "application/json": { schema: {} },
          "application/x-ndjson": { schema: { type: "string" } },
          "application/x-www-form-urlencoded": { schema: { type: "object" } },
        },
      }
    : { required: true, content: buildContent(body) };

const buildContent = (body: "ndjson" | "bytes"): JsonObject =>
  body === "ndjson"
    ? { "application/x-ndjson": { schema: { type: "string" } } }
    : { "application/octet-stream": { schema: { type: "string", contentMediaType: "application/octet-stream" } } };

function buildSuccess({ output, summary }: Operation): JsonObject {
  if (output === "none") return { 204: { description: "Done" } };
  const content =
    output === "bytes" || output === "ndjson"
      ? buildContent(output)
      : { "application/json": { schema: buildSchema(output) } };
  return {
    200: { description: summary, content },
    ...(output === "bytes" ? { 206: { description: "The part that Range asked for", content } } : {}),
  };
}

function listErrors({ errors }: Operation): JsonObject {
  const byStatus = new Map<number, string[]>();
  for (const code of errors) byStatus.set(problemStatus[code], [...(byStatus.get(problemStatus[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.join(", "),
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    ]),
  );
}
