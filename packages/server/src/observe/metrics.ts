import { monitorEventLoopDelay } from "node:perf_hooks";
import { version } from "../version.ts";
import { createHistogram, formatHistograms, formatMetric, type Histogram, type Labels, observe } from "./exposition.ts";
import { formatVaultFigures, type VaultFigures } from "./vault-figures.ts";

/** Figures about this process and its vault, named after OpenTelemetry's conventions. */

interface FinishedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** The threads for heavy reads, and who waits for one. */
interface ReadLoad {
  readonly busyThreads: number;
  readonly idleThreads: number;
  readonly waiting: number;
}

/** What the figures are about, besides this process. */
export interface Measured {
  /** Of one owner, or of all. */
  readonly vault: (ownerNo: number | undefined) => Promise<VaultFigures>;
  readonly reads: () => ReadLoad;
  /** When the server's own certificate expires. */
  readonly certificateExpiry: () => number | undefined;
}

const delayQuantiles = [50, 90, 99];

export interface Metrics {
  start(): void;
  finish(request: FinishedRequest): void;
  countOperation(operation: string, result: string): void;
  /** A heavy read got a thread after this time. */
  waitedForThread(seconds: number): void;
  format(measured: Measured, ownerNo: number | undefined): Promise<string>;
  close(): void;
}

export function createMetrics(): Metrics {
  const durations = new Map<string, Histogram>();
  const operations = new Map<string, { readonly labels: Labels; count: number }>();
  const threadWait = createHistogram({});
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let active = 0;

  const formatProcess = (): string[] => {
    const { user, system } = process.cpuUsage();
    return [
      ...formatMetric("pdpp_build_info", "gauge", "Version of pdpp and Node", [
        [{ version, node: process.versions.node }, 1],
      ]),
      ...formatMetric(
        "nodejs_eventloop_delay_seconds",
        "gauge",
        "Delay of the main thread's event loop since the last scrape",
        delayQuantiles.map((percent) => [
          { quantile: String(percent / 100) },
          delay.count === 0 ? 0 : delay.percentile(percent) / 1e9,
        ]),
      ),
      ...formatMetric("process_cpu_seconds_total", "counter", "Processor time used", [[{}, (user + system) / 1e6]]),
      ...formatMetric("process_resident_memory_bytes", "gauge", "Memory used", [[{}, process.memoryUsage.rss()]]),
      ...formatMetric("process_uptime_seconds", "gauge", "Time since the start", [[{}, process.uptime()]]),
    ];
  };
  const formatRequests = ({ busyThreads, idleThreads, waiting }: ReadLoad): string[] => [
    ...formatHistograms("http_server_request_duration_seconds", "Duration of requests by route and status", [
      ...durations.values(),
    ]),
    ...formatMetric("http_server_active_requests", "gauge", "Requests that have no complete answer yet", [
      [{}, active],
    ]),
    ...formatMetric(
      "pdpp_operations_total",
      "counter",
      "Operations by result; MCP tools count by the operations they use",
      [...operations.values()].map(({ labels, count }) => [labels, count]),
    ),
    ...formatMetric("pdpp_read_threads", "gauge", "Threads for heavy reads", [
      [{ state: "busy" }, busyThreads],
      [{ state: "idle" }, idleThreads],
    ]),
    ...formatMetric("pdpp_read_queue_length", "gauge", "Heavy reads that wait for a thread", [[{}, waiting]]),
    ...formatHistograms("pdpp_read_queue_wait_seconds", "Time that heavy reads waited for a thread", [threadWait]),
  ];

  return {
    start() {
      active += 1;
    },
    finish({ method, route, status, seconds }) {
      active -= 1;
      const key = `${method} ${route} ${status}`;
      let held = durations.get(key);
      if (held === undefined) {
        held = createHistogram({
          http_request_method: method,
          http_route: route,
          http_response_status_code: String(status),
        });
        durations.set(key, held);
      }
      observe(held, seconds);
    },
    countOperation(operation, result) {
      const key = `${operation} ${result}`;
      const held = operations.get(key) ?? { labels: { operation, result }, count: 0 };
      operations.set(key, held);
      held.count += 1;
    },
    waitedForThread: (seconds) => observe(threadWait, seconds),
    async format({ vault, reads, certificateExpiry }, ownerNo) {
      // A server whose vault does not answer still says so.
      const figures = await vault(ownerNo).catch(() => undefined);
      const expiry = certificateExpiry();
      const lines = [
        ...formatProcess(),
        ...formatRequests(reads()),
        ...formatMetric("pdpp_vault_up", "gauge", "Whether the vault answers", [[{}, figures === undefined ? 0 : 1]]),
        ...(figures === undefined ? [] : formatVaultFigures(figures)),
        ...(expiry === undefined
          ? []
          : formatMetric(
              "pdpp_certificate_expiry_timestamp_seconds",
              "gauge",
              "When the server's certificate expires",
              [[{}, expiry / 1000]],
            )),
      ];
      // Each scrape sees the delays since the one before.
      delay.reset();
      return `${lines.join("\n")}\n`;
    },
    close: () => void delay.disable(),
  };
}
