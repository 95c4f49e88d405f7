import { monitorEventLoopDelay } from "node:perf_hooks";
import { version } from "../version.ts";

/** Figures about this process in Prometheus's text format, named after OpenTelemetry's conventions. */

interface FinishedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

interface Histogram {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** The buckets that OpenTelemetry recommends for the duration of requests. */
const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const delayQuantiles = [50, 90, 99];

export interface Metrics {
  start(): void;
  finish(request: FinishedRequest): void;
  format(): Promise<string>;
  close(): void;
}

export function createMetrics(measureVault: () => Promise<number | undefined>): Metrics {
  const histograms = new Map<string, Histogram>();
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let active = 0;
  return {
    start() {
      active += 1;
    },
    finish({ method, route, status, seconds }) {
      active -= 1;
      const labels = formatLabels({
        http_request_method: method,
        http_route: route,
        http_response_status_code: String(status),
      });
      const held = histograms.get(labels) ?? { labels, counts: bucketSeconds.map(() => 0), sum: 0, count: 0 };
      histograms.set(labels, held);
      for (const [index, limit] of bucketSeconds.entries())
        if (seconds <= limit) held.counts[index] = (held.counts[index] ?? 0) + 1;
      held.sum += seconds;
      held.count += 1;
    },
    async format() {
      const { user, system } = process.cpuUsage();
      const vaultBytes = await measureVault();
      const metrics = [
        formatMetric("pdpp_build_info", "gauge", "Version of pdpp and Node", [
          [`{${formatLabels({ version, node: process.versions.node })}}`, 1],
        ]),
        formatHistograms([...histograms.values()]),
        formatMetric("http_server_active_requests", "gauge", "Requests that have no complete answer yet", [
          ["", active],
        ]),
        formatMetric(
          "nodejs_eventloop_delay_seconds",
          "gauge",
          "Delay of the main thread's event loop",
          delayQuantiles.map((percent) => [
            `{${formatLabels({ quantile: String(percent / 100) })}}`,
            delay.count === 0 ? 0 : delay.percentile(percent) / 1e9,
          ]),
        ),
        formatMetric("process_cpu_seconds_total", "counter", "Processor time used", [["", (user + system) / 1e6]]),
        formatMetric("process_resident_memory_bytes", "gauge", "Memory used", [["", process.memoryUsage.rss()]]),
        formatMetric("process_uptime_seconds", "gauge", "Time since the start", [["", process.uptime()]]),
        ...(vaultBytes === undefined
          ? []
          : [formatMetric("pdpp_vault_bytes", "gauge", "Size of the vault's database files", [["", vaultBytes]])]),
      ];
      // Each scrape sees the delays since the one before.
      delay.reset();
      return `${metrics.join("\n")}\n`;
    },
    close: () => void delay.disable(),
  };
}

const escapeLabel = (value: string): string => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");

const formatLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");

function formatMetric(
  name: string,
  type: "gauge" | "counter",
  help: string,
  samples: readonly (readonly [labels: string, value: number])[],
): string {
  return [
    `# HELP ${name} ${help}.`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
  ].join("\n");
}

function formatHistograms(histograms: readonly Histogram[]): string {
  const name = "http_server_request_duration_seconds";
  const lines = histograms.flatMap(({ labels, counts, sum, count }) => [
    ...bucketSeconds.map((limit, index) => `${name}_bucket{${labels},le="${limit}"} ${counts[index] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum}`,
    `${name}_count{${labels}} ${count}`,
  ]);
  return [`# HELP ${name} Duration of requests by route and status.`, `# TYPE ${name} histogram`, ...lines].join("\n");
}
