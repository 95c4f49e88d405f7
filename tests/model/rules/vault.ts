import type { JsonObject } from "@pdpp/contract/declaration";
import { findStreamSpec, type VaultSpec, type Write } from "../spec.ts";

/** The contents of a vault at one moment, and how writes change it. */

export interface ModelRecord {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly stream: string;
  readonly key: string;
  /** Null if deleted. */
  readonly data: JsonObject | null;
  /** All its versions; the last one is current. */
  readonly states: readonly ModelState[];
}

export interface ModelState {
  readonly data: JsonObject | null;
  readonly emittedAt: number;
  readonly deletedAt: number | null;
  /** Number of the write that created it. */
  readonly changed: number;
}

export type Snapshot = ReadonlyMap<string, ModelRecord>;

export const formatPlace = ({ connectionId, stream, key }: Pick<Write, "connectionId" | "stream" | "key">): string =>
  JSON.stringify([connectionId, stream, key]);

export class ModelVault {
  readonly spec: VaultSpec;
  #records: Map<string, ModelRecord> = new Map();
  #writes = 0;

  constructor(spec: VaultSpec) {
    this.spec = spec;
  }

  get snapshot(): Snapshot {
    return new Map(this.#records);
  }

  write(write: Write, now: number): void {
    this.#writes += 1;
    const place = formatPlace(write);
    const held = this.#records.get(place);
    const emittedAt = write.emittedAt === undefined ? now : Date.parse(write.emittedAt);
    const { connectionId, connectorKey, stream, key } = write;
    const lives = held !== undefined && held.data !== null;
    const become = (data: JsonObject | null) => {
      const state = { data, emittedAt, deletedAt: data === null ? now : null, changed: this.#writes };
      this.#records.set(place, {
        connectionId,
        connectorKey,
        stream,
        key,
        data,
        states: [...(held?.states ?? []), state],
      });
    };
    if (write.op === "delete") {
      if (lives) become(null);
      return;
    }
    if (lives) {
      if (findStreamSpec(this.spec, connectorKey, stream).semantics === "append_only") return;
      if (JSON.stringify(held.data) === JSON.stringify(write.data)) return;
    }
    // Without a prototype, because a field may be called `constructor`.
    become(Object.assign(Object.create(null) as JsonObject, write.data));
  }
}
