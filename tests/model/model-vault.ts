import type { JsonObject } from "@pdpp/contract/declaration";
import { streamSpec, type VaultSpec, type Write } from "./spec.ts";

/** The contents of a vault at one moment, and the rules by which writes change it. */

export interface ModelRecord {
  readonly connectionId: string;
  readonly connectorKey: string;
  readonly stream: string;
  readonly key: string;
  /** Null when it was deleted. */
  readonly data: JsonObject | null;
  readonly revision: number;
  readonly emittedAt: number;
  readonly deletedAt: number | null;
  /** When it last changed, as the number of the write. */
  readonly changed: number;
}

export type Snapshot = ReadonlyMap<string, ModelRecord>;

export const placeOf = ({ connectionId, stream, key }: Pick<Write, "connectionId" | "stream" | "key">): string =>
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
    const place = placeOf(write);
    const held = this.#records.get(place);
    const emittedAt = write.emittedAt === undefined ? now : Date.parse(write.emittedAt);
    const { connectionId, connectorKey, stream, key } = write;
    const lives = held !== undefined && held.data !== null;
    const change = {
      connectionId,
      connectorKey,
      stream,
      key,
      revision: (held?.revision ?? 0) + 1,
      emittedAt,
      changed: this.#writes,
    };
    if (write.op === "delete") {
      if (lives) this.#records.set(place, { ...change, data: null, deletedAt: now });
      return;
    }
    if (lives) {
      if (streamSpec(this.spec, connectorKey, stream).semantics === "append_only") return;
      if (JSON.stringify(held.data) === JSON.stringify(write.data)) return;
    }
    // Without a prototype, because a field may be called `constructor`.
    const data = Object.assign(Object.create(null) as JsonObject, write.data);
    this.#records.set(place, { ...change, data, deletedAt: null });
  }
}
