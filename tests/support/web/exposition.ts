/** A strict reader of Prometheus's text format, version 0.0.4. */

export interface MetricFamily {
  readonly type: string;
  readonly help: string;
  readonly samples: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

const namePattern = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/;
const suffixes: Readonly<Record<string, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  gauge: [""],
  counter: [""],
};

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ""; ) {
    const [whole = "", name = "", value = ""] = labelPattern.exec(rest) ?? [];
    if (whole === "") throw new Error(`not labels: ${rest}`);
    if (name in labels) throw new Error(`label ${name} twice`);
    labels[name] = value.replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** Throws if Prometheus would reject the text, or read something else than was meant. */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, MetricFamily>();
  const series = new Set<string>();
  let help: [name: string, text: string] | undefined;
  let current: [name: string, family: MetricFamily] | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === "HELP") {
      if (!namePattern.test(name) || families.has(name)) throw new Error(`bad or repeated name: ${line}`);
      help = [name, rest];
    } else if (kind === "TYPE") {
      if (help?.[0] !== name || suffixes[rest] === undefined) throw new Error(`bad type: ${line}`);
      const family = { type: rest, help: help[1], samples: [] };
      families.set(name, family);
      current = [name, family];
    } else {
      const [, sampled = "", labels = "", value = ""] = samplePattern.exec(line) ?? [];
      if (
        current === undefined ||
        !(suffixes[current[1].type] ?? []).some((end) => sampled === `${current?.[0]}${end}`)
      )
        throw new Error(`a sample outside of its metric: ${line}`);
      if (!/^(\+Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value)) throw new Error(`not a number: ${line}`);
      const key = line.slice(0, -value.length);
      if (series.has(key)) throw new Error(`twice: ${line}`);
      series.add(key);
      current[1].samples.push({ name: sampled, labels: parseLabels(labels), value: Number(value) });
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

function checkHistogram(name: string, { samples }: MetricFamily): void {
  const counts = samples.filter((sample) => sample.name === `${name}_count`);
  for (const { labels, value } of counts) {
    const buckets = samples.filter(
      (sample) =>
        sample.name === `${name}_bucket` && Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
    );
    const values = buckets.map((sample) => sample.value);
    const isRising = values.every((each, index) => index === 0 || each >= (values[index - 1] ?? 0));
    if (buckets.at(-1)?.labels.le !== "+Inf" || values.at(-1) !== value || !isRising)
      throw new Error(`${name} is not a histogram: ${JSON.stringify(buckets)}`);
  }
}
