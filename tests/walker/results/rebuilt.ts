import { isDeepStrictEqual } from "node:util";
import type { Json } from "@pdpp/contract/declaration";

/** The part of the vault that a reader has rebuilt from the results. */

export interface Blob {
  readonly blob_id: string;
  readonly mime_type?: string | undefined;
  readonly size_bytes?: number | undefined;
}

interface Piece {
  readonly start: number;
  readonly end: number;
  /** Null: reported as base64, and omitted. */
  readonly chars: readonly string[] | null;
}

class Field {
  readonly values: Json[] = [];
  readonly pieces: Piece[] = [];
  total: number | undefined;
  encodedChars: number | undefined;
  /** One of these values, shown in the head of a card. */
  above: readonly Json[] | undefined;
  /** The value as returned by the read of its bytes. */
  out: Json | undefined;
  readonly blobs = new Map<string, Blob>();

  /** The whole text, with omissions as null; undefined while a part is missing. */
  text(): (string | null)[] | undefined {
    if (this.total === undefined) return undefined;
    const chars: (string | null | undefined)[] = new Array(this.total).fill(undefined);
    for (const { start, end, chars: shown } of this.pieces) {
      for (let i = start; i < end; i += 1) {
        const char = shown === null ? null : shown[i - start]!;
        const held = chars[i];
        if (held !== undefined && held !== null && char !== null && held !== char)
          throw new Error(`character ${i} was shown as ${JSON.stringify(held)} and as ${JSON.stringify(char)}`);
        if (held === undefined || held === null) chars[i] = char;
      }
    }
    return chars.includes(undefined) ? undefined : (chars as (string | null)[]);
  }
}

export class Rebuilt {
  readonly records = new Map<string, Map<string, Field>>();
  /** Blobs whose bytes were read. */
  readonly blobsRead = new Set<string>();
  /** Number of related records, by record and relationship. */
  readonly links = new Map<string, Map<string, number>>();

  #field(id: string, path: string): Field {
    const record = this.record(id);
    let field = record.get(path);
    if (field === undefined) {
      field = new Field();
      record.set(path, field);
    }
    return field;
  }

  /** Registers the record, even without content. */
  record(id: string): Map<string, Field> {
    let record = this.records.get(id);
    if (record === undefined) {
      record = new Map();
      this.records.set(id, record);
    }
    return record;
  }

  link(id: string, relationship: string, count: number): void {
    const held = this.links.get(id) ?? new Map<string, number>();
    this.links.set(id, held.set(relationship, count));
  }

  value(id: string, path: string, value: Json): void {
    const { values } = this.#field(id, path);
    if (values.length > 0 && !isDeepStrictEqual(plain(values[0]!), plain(value)))
      throw new Error(`${path} of ${id} was shown with two values`);
    if (values.length === 0) values.push(value);
  }

  piece(id: string, path: string, window: { start: number; end: number; total: number }, text: string): void {
    const chars = [...text];
    if (chars.length !== window.end - window.start)
      throw new Error(`${path} of ${id}: ${chars.length} characters were shown as ${window.start} to ${window.end}`);
    this.#total(id, path, window.total).pieces.push({ start: window.start, end: window.end, chars });
  }

  hidden(id: string, path: string, window: { start: number; end: number; total: number }): void {
    this.#total(id, path, window.total).pieces.push({ start: window.start, end: window.end, chars: null });
  }

  encoded(id: string, path: string, total: number): void {
    this.#total(id, path, total).encodedChars = total;
  }

  above(id: string, path: string, shown: readonly Json[]): void {
    this.#field(id, path).above = shown;
  }

  out(id: string, path: string, value: Json): void {
    this.#field(id, path).out = value;
  }

  blob(id: string, path: string, blob: Blob): void {
    this.#field(id, path).blobs.set(blob.blob_id, blob);
  }

  #total(id: string, path: string, total: number): Field {
    const field = this.#field(id, path);
    if (field.total !== undefined && field.total !== total)
      throw new Error(`${path} of ${id} was said to have ${field.total} and ${total} characters`);
    field.total = total;
    return field;
  }
}

const plain = (value: Json): unknown => JSON.parse(JSON.stringify(value));
