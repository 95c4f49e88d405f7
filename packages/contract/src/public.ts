/** Programs outside this repository import this as `pdpp/contract`. */
export { type ErrorEnvelope, PdppError, type ProblemCode, parseErrorEnvelope } from "./errors.ts";
export { buildOpenApiDocument } from "./http/openapi.ts";
export { InvalidManifestError, type ManifestIssue, parseManifest } from "./manifest/manifest.ts";
export { type Input, type OperationName, type Output, operations, type ReadApi } from "./operations.ts";
export * from "./wire.ts";
