import { parseInstant } from "@pdpp/contract/instant";
import type { ReadApi } from "@pdpp/contract/operations";

/** The time span of a stream's records. */
export interface TimeSpan {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

export async function loadTimeSpan(
  reader: ReadApi,
  place: { readonly stream: string; readonly connection_id: string },
): Promise<TimeSpan> {
  const end = async (order: "asc" | "desc"): Promise<number | undefined> => {
    const { data } = await reader.queryRecords({ ...place, limit: 1, order, view: "evidence" });
    const [first] = data;
    const value = first?.object === "evidence_card" ? first.event_time : undefined;
    return typeof value === "string" ? (parseInstant(value) ?? undefined) : value;
  };
  return { from: await end("asc"), to: await end("desc") };
}

export function mergeTimeSpans(spans: readonly TimeSpan[]): TimeSpan {
  const [from, to] = [spans.flatMap((each) => each.from ?? []), spans.flatMap((each) => each.to ?? [])];
  return {
    from: from.length === 0 ? undefined : Math.min(...from),
    to: to.length === 0 ? undefined : Math.max(...to),
  };
}
