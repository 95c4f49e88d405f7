/** Prometheus's text format. */

export type Labels = Readonly<Record<string, string>>;
export type Sample = readonly [labels: Labels, value: number];

export interface Histogram {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
  count: number;
}

/** The buckets that OpenTelemetry recommends for the duration of requests. */
const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

export const createHistogram = (labels: Labels): Histogram => ({
  labels,
  counts: bucketSeconds.map(() => 0),
  sum: 0,
  count: 0,
});

export function observe(histogram: Histogram, seconds: number): void {
  bucketSeconds.forEach((limit, index) => {
    if (seconds <= limit) histogram.counts[index] = (histogram.counts[index] ?? 0) + 1;
  });
  histogram.sum += seconds;
  histogram.count += 1;
}

const escapeLabel = (value: string): string => value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");

const formatLabels = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
};

const formatHead = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}.`,
  `# TYPE ${name} ${type}`,
];

export const formatMetric = (
  name: string,
  type: "gauge" | "counter",
  help: string,
  samples: readonly Sample[],
): string[] => [
  ...formatHead(name, type, help),
  ...samples.map(([labels, value]) => `${name}${formatLabels(labels)} ${value}`),
];

export const formatHistograms = (name: string, help: string, histograms: readonly Histogram[]): string[] => [
  ...formatHead(name, "histogram", help),
  ...histograms.flatMap(({ labels, counts, sum, count }) => [
    ...bucketSeconds.map(
      (limit, index) => `${name}_bucket${formatLabels({ ...labels, le: String(limit) })} ${counts[index] ?? 0}`,
    ),
    `${name}_bucket${formatLabels({ ...labels, le: "+Inf" })} ${count}`,
    `${name}_sum${formatLabels(labels)} ${sum}`,
    `${name}_count${formatLabels(labels)} ${count}`,
  ]),
];
