import type { ConnectorDeclaration, StreamDeclaration } from "@pdpp/contract/declaration";
import { parseInstant } from "@pdpp/contract/instant";
import { normalizeKey } from "@pdpp/contract/record-key";
import type { RecordMessage } from "./messages.ts";
import { ProtocolViolation } from "./violation.ts";

/** One stream that a run may collect: all of it, unless limited. */
export interface ScopeStream {
  readonly name: string;
  readonly resources?: readonly string[];
  readonly time_range?: { readonly since?: string; readonly until?: string };
  readonly fields?: readonly string[];
}

export class Scope {
  readonly streams: readonly ScopeStream[];
  readonly #limits: ReadonlyMap<string, ScopeStream>;
  readonly #declarations: ReadonlyMap<string, StreamDeclaration>;

  /** By default all streams, whole: public connectors ignore narrower scopes, and grants narrow what others see. */
  constructor({ streams }: ConnectorDeclaration, wanted?: readonly ScopeStream[]) {
    this.streams = wanted ?? streams.map(({ name }) => ({ name }));
    this.#limits = new Map(this.streams.map((stream) => [stream.name, stream]));
    this.#declarations = new Map(streams.map((stream) => [stream.name, stream]));
  }

  has(stream: string): boolean {
    return this.#limits.has(stream);
  }

  /** Throws if the stream is outside the scope. */
  requireStream(stream: string, type: string): void {
    if (!this.has(stream)) throw new ProtocolViolation(`sent ${type} for a stream outside the scope`);
  }

  /** Throws if the record is outside the scope. */
  checkRecord(record: RecordMessage): void {
    this.requireStream(record.stream, "RECORD");
    const limits = this.#limits.get(record.stream);
    const declaration = this.#declarations.get(record.stream);
    if (limits === undefined || declaration === undefined) return;
    const refuse = (what: string): never => {
      throw new ProtocolViolation(`sent a record of ${record.stream} outside the scope: ${what}`);
    };
    const key = normalizeKey(record.key, declaration.primaryKey);
    if (limits.resources !== undefined && (key === null || !limits.resources.includes(key))) refuse("its key");
    if (record.op === "delete") return;
    const { fields } = limits;
    if (fields !== undefined) {
      const allowed = new Set([...fields, ...declaration.primaryKey]);
      if (Object.keys(record.data).some((field) => !allowed.has(field))) refuse("a field");
    }
    if (limits.time_range !== undefined && !isWithin(limits.time_range, readTime(declaration, record)))
      refuse("its time");
  }
}

function readTime({ consentTimeField, cursorField }: StreamDeclaration, { data }: RecordMessage): number | null {
  const field = consentTimeField ?? cursorField;
  const value = field === undefined ? undefined : data[field];
  return typeof value === "string" ? parseInstant(value) : null;
}

function isWithin({ since, until }: NonNullable<ScopeStream["time_range"]>, time: number | null): boolean {
  if (time === null) return false;
  const [from, to] = [since, until].map((bound) => (bound === undefined ? null : parseInstant(bound)));
  return (from === null || from === undefined || time >= from) && (to === null || to === undefined || time < to);
}
