import type { Dice } from "../model/generators/dice.ts";
import type { VaultSpec, Write as Written } from "../model/spec.ts";
import { drawRequest } from "./routes.ts";
import { damageText, drawStrangeValue, type Words } from "./words.ts";

/** Owner requests: reads, and writes whose lines are valid, almost valid, or garbage. */

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export function drawWrite(d: Dice, words: Words, spec: VaultSpec): Write {
  if (d.chance(40)) {
    const request = drawRequest(d, words);
    return request.method === "GET" || request.method === "HEAD" ? request : { ...request, body: drawLines(d, spec) };
  }
  const { connectionId = "x", stream = "x" }: Partial<Written> = d.pick(spec.writes[0] ?? []) ?? {};
  const name = encodeURIComponent(d.chance(90) ? stream : damageText(d, stream).toWellFormed());
  const connection = encodeURIComponent(d.chance(90) ? connectionId : damageText(d, connectionId).toWellFormed());
  return { method: "POST", path: `/v1/ingest/${name || "_"}?connection_id=${connection}`, body: drawLines(d, spec) };
}

function drawLines(d: Dice, spec: VaultSpec): string {
  return Array.from({ length: d.below(4) }, () => drawLine(d, spec)).join(d.chance(90) ? "\n" : "\r\n");
}

function drawLine(d: Dice, spec: VaultSpec): string {
  const written = d.pick(spec.writes[0] ?? []);
  if (written === undefined || d.chance(10)) return String(JSON.stringify(drawStrangeValue(d)));
  const { key, data, op } = written;
  const changed = Object.entries(data ?? {}).map(([name, value]) => [name, d.chance(85) ? value : drawStrangeValue(d)]);
  const line = {
    ...(d.chance(25) ? { key: d.chance(80) ? key : drawStrangeValue(d) } : {}),
    ...(d.chance(85) ? { data: d.chance(95) ? Object.fromEntries(changed) : drawStrangeValue(d) } : {}),
    ...(d.chance(15) ? { op: d.chance(80) ? op : drawStrangeValue(d) } : {}),
    ...(d.chance(10) ? { emitted_at: d.pick<unknown>(["2026-01-01T00:00:00Z", "now", 5, null]) } : {}),
    ...(d.chance(3) ? { more: drawStrangeValue(d) } : {}),
  };
  const text = JSON.stringify(line);
  return d.chance(92) ? text : damageText(d, text).toWellFormed();
}
