import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { createMetrics, type Measured } from "./metrics.ts";
import { describeRoute, normalizeMethod } from "./route-name.ts";

export interface ObserverOptions {
  /** Receives one JSON line for each request that has ended. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly measured: Measured;
}

export interface Observer {
  observe(request: IncomingMessage, response: ServerResponse): void;
  /** Says which id the answer to a request has. */
  identify(request: object, requestId: string): void;
  /** Counts an operation of the contract by its result: `ok` or an error code. */
  countOperation(operation: string, result: string): void;
  /** A heavy read got a thread after this time. */
  waitedForThread(seconds: number): void;
  /** In Prometheus's text format. Figures about the vault are those of one owner, if it is given. */
  formatMetrics(ownerNo?: number): Promise<string>;
  close(): void;
}

/** Counts and logs requests by their route, without addresses, tokens, arguments or data. */
export function createObserver({ onLine, measured }: ObserverOptions): Observer {
  const metrics = createMetrics();
  const requestIds = new WeakMap<object, string>();
  return {
    observe(request, response) {
      const startedAt = performance.now();
      metrics.start();
      const method = normalizeMethod(request.method);
      const route = describeRoute(method, request.url?.split(/[?#]/, 1)[0] ?? "");
      response.once("close", () => {
        const seconds = (performance.now() - startedAt) / 1000;
        // The client left before there was an answer.
        const status = response.headersSent ? response.statusCode : 499;
        metrics.finish({ method, route, status, seconds });
        onLine?.(
          JSON.stringify({
            timestamp: new Date().toISOString(),
            severity_text: status >= 500 ? "ERROR" : "INFO",
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
            "http.server.request.duration": Math.round(seconds * 1e6) / 1e6,
            "network.protocol.version": request.httpVersion,
            "pdpp.request.id": requestIds.get(request) ?? null,
            "pdpp.response.complete": response.writableFinished,
          }),
        );
      });
    },
    identify: (request, requestId) => void requestIds.set(request, requestId),
    countOperation: metrics.countOperation,
    waitedForThread: metrics.waitedForThread,
    formatMetrics: (ownerNo) => metrics.format(measured, ownerNo),
    close: metrics.close,
  };
}
