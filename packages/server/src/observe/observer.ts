import type { IncomingMessage, ServerResponse } from "node:http";
import { performance } from "node:perf_hooks";
import { createMetrics } from "./metrics.ts";
import { describeRoute, normalizeMethod } from "./route-name.ts";

export interface ObserverOptions {
  /** Receives one JSON line for each request that has ended. */
  readonly onLine?: ((line: string) => void) | undefined;
  /** Returns the size of the vault's files, if it has files. */
  readonly measureVault: () => Promise<number | undefined>;
}

export interface Observer {
  observe(request: IncomingMessage, response: ServerResponse): void;
  /** Says which id the answer to a request has. */
  identify(request: object, requestId: string): void;
  /** In Prometheus's text format. */
  formatMetrics(): Promise<string>;
  close(): void;
}

/** Counts and logs requests by their route, without addresses, tokens, arguments or data. */
export function createObserver({ onLine, measureVault }: ObserverOptions): Observer {
  const metrics = createMetrics(measureVault);
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
    formatMetrics: metrics.format,
    close: metrics.close,
  };
}
