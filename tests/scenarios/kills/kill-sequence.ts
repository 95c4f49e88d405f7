import type { StoreLocation } from "@pdpp/server/store/store";

/** A sequence of writes known to both sides: step n creates, changes or deletes one of a hundred records. */

export interface KillTask {
  readonly location: StoreLocation;
  readonly connectionId: string;
  /** The first step that was not acknowledged. */
  readonly from: number;
}

export const stream = "entries";
const keys = 97;

const getKey = (n: number): string => `k${(n * 37) % keys}`;
const isDeletion = (n: number): boolean => n % 11 === 10;

const buildData = (n: number) => ({
  id: getKey(n),
  step: n,
  title: `step ${n}`,
  body: `${n} `.repeat(20 + (n % 50)),
});

export function formatLine(n: number): string {
  return `${JSON.stringify(isDeletion(n) ? { op: "delete", key: getKey(n) } : { data: buildData(n) })}\n`;
}

/** The vault's records after the steps before `end`. */
export function computeState(end: number): Map<string, object> {
  const state = new Map<string, object>();
  for (let n = Math.max(0, end - keys); n < end; n += 1) {
    if (isDeletion(n)) state.delete(getKey(n));
    else state.set(getKey(n), buildData(n));
  }
  return state;
}

export const manifest = {
  connector_key: "sequence",
  version: "1",
  streams: [
    {
      name: stream,
      semantics: "mutable_state",
      primary_key: ["id"],
      cursor_field: "step",
      schema: {
        type: "object",
        required: ["id", "step"],
        properties: {
          id: { type: "string" },
          step: { type: "integer" },
          title: { type: "string" },
          body: { type: "string" },
        },
      },
      // Makes the writer index words and merge segments while it is killed.
      query: { search: { lexical_fields: ["title", "body"] } },
    },
  ],
};
