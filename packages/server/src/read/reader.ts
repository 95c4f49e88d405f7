import type { ReadApi } from "@pdpp/contract/operations";
import { type Measure, measureAsJson } from "@pdpp/evidence/sizes/measure";
import type { Scope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";
import { aggregate } from "./aggregate/aggregate.ts";
import { readBlob } from "./blob/read-blob.ts";
import type { Disclosure, ReadContext } from "./context.ts";
import { cursorKeys } from "./cursor.ts";
import { withEnvelope } from "./envelope.ts";
import { exportRecords } from "./export/export-records.ts";
import { fetchRecord } from "./fetch/fetch-record.ts";
import { readField } from "./field-window/read-field.ts";
import { queryRecords } from "./records/query-records.ts";
import { connectors, schema, stream, streams } from "./schema/schema.ts";
import { search } from "./search/search.ts";

/** A reader holds its authority: it can read what its scope lets through, and there is nothing else it could ask for. */
export function createReader(options: {
  readonly store: Store;
  readonly scope: Scope;
  readonly now?: () => number;
  readonly disclose?: (disclosure: Disclosure) => void;
  readonly checkHeld?: () => Promise<void>;
  readonly stillWanted?: () => void;
  readonly isLightOnly?: boolean;
  readonly pagesUrl?: string | undefined;
  readonly measure?: Measure;
}): ReadApi {
  const context: ReadContext = {
    store: options.store,
    scope: options.scope,
    keys: cursorKeys(options.store.secret),
    now: options.now ?? Date.now,
    disclose: options.disclose ?? (() => undefined),
    checkHeld: options.checkHeld ?? (() => Promise.resolve()),
    stillWanted: options.stillWanted ?? (() => undefined),
    isLightOnly: options.isLightOnly ?? false,
    pagesUrl: options.pagesUrl,
    measure: options.measure ?? measureAsJson,
  };
  return {
    schema: (input) => schema(context, input),
    connectors: () => connectors(context),
    streams: (input) => streams(context, input),
    stream: (input) => stream(context, input),
    queryRecords: (input) => queryRecords(context, input),
    fetch: (input) => fetchRecord(context, input),
    aggregate: async (input) => withEnvelope(await aggregate(context, input)),
    search: (input) => search(context, input),
    readField: (input) => readField(context, input),
    readBlob: (input, range) => readBlob(context, input, range),
    export: (input) => exportRecords(context, input),
  };
}
