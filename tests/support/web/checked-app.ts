import { matchRoutes } from "@pdpp/contract/address";
import { problemStatus } from "@pdpp/contract/errors";
import { operations } from "@pdpp/contract/operations";
import { errorBody } from "@pdpp/contract/wire";

type Fetch = (request: Request) => Response | Promise<Response>;

/** Sends requests to the app and validates every response against the contract: shape, declared status, common headers. */
export function createCheckedFetch(app: { fetch: Fetch }): (request: Request) => Promise<Response> {
  return async (request) => {
    const response = await app.fetch(request);
    const found = (matchRoutes(new URL(request.url).pathname) ?? []).map(({ name }) => operations[name]);
    const operation = found.find(({ method }) => method === (request.method === "HEAD" ? "GET" : request.method));
    if (
      !response.headers.get("request-id") ||
      response.headers.get("request-id") !== response.headers.get("x-request-id")
    ) {
      throw new Error("the response lacks its request id in one of the two headers");
    }
    if (operation === undefined || request.method === "HEAD") return response;
    const body = await response.clone().text();
    if (response.ok) {
      if (typeof operation.output !== "string") operation.output.parse(JSON.parse(body));
      return response;
    }
    const { error } = errorBody.parse(JSON.parse(body));
    if (problemStatus[error.code as keyof typeof problemStatus] !== response.status) {
      throw new Error(`${error.code} returned status ${response.status}`);
    }
    if (error.code === "api_error") throw new Error(`an internal error reached the client: ${body}`);
    const common = [
      "invalid_request",
      "invalid_argument",
      "unsupported_version",
      "method_not_allowed",
      "not_found",
      "grant_invalid",
      "misdirected_request",
      "permission_error",
    ];
    if (![...operation.errors, ...common].includes(error.code))
      throw new Error(`${operation.name} does not declare ${error.code}`);
    return response;
  };
}
