import {
  type Input,
  type JsonReadName,
  mapReads,
  type Output,
  type ReadApi,
  type StreamingReads,
} from "@pdpp/contract/operations";
import { type Measure, measureAsJson } from "@pdpp/evidence/sizes/measure";
import type { Scope } from "../store/access/scope.ts";
import type { Store } from "../store/store.ts";
import { aggregate } from "./aggregate/aggregate.ts";
import { readBlob } from "./blob/read-blob.ts";
import { type Disclosure, type ReadContext, type TooHeavy, tooHeavy } from "./context.ts";
import { deriveCursorKeys } from "./cursor.ts";
import { type ExportPiece, readExportPiece } from "./export/export-piece.ts";
import { exportRecords } from "./export/export-records.ts";
import { fetchRecord } from "./fetch/fetch-record.ts";
import { readField } from "./field-window/read-field.ts";
import { queryRecords } from "./records/query-records.ts";
import { listConnectors, listStreams, readSchema, readStream } from "./schema/schema.ts";
import { search } from "./search/search.ts";

export interface ReaderOptions {
  readonly store: Store;
  /** A reader can read what its scope lets through and nothing else. */
  readonly scope: Scope;
  readonly now?: () => number;
  readonly disclose?: (disclosure: Disclosure) => void;
  readonly checkStillValid?: () => Promise<void>;
  readonly throwIfStopped?: () => void;
  readonly pagesUrl?: string | undefined;
  readonly measure?: Measure;
}

type Reads = {
  readonly [N in JsonReadName]: (context: ReadContext, input: Input<N>) => Promise<Output<N> | TooHeavy>;
};

const reads: Reads = {
  schema: readSchema,
  connectors: listConnectors,
  streams: listStreams,
  stream: readStream,
  queryRecords,
  fetch: fetchRecord,
  aggregate,
  search,
  readField,
};

/** Does every read in this thread. */
export function createReader(options: ReaderOptions): ReadApi {
  const context = createContext(options, false);
  return mapReads(async (name, input) => {
    const answer = await reads[name](context, input);
    if (answer === tooHeavy) throw new Error(`${name} was refused as too heavy by a reader without reading threads`);
    return answer;
  }, createStreamingReads(context));
}

export interface LightReader extends StreamingReads {
  read<N extends JsonReadName>(name: N, input: Input<N>): Promise<Output<N> | TooHeavy>;
}

export function createLightReader(options: ReaderOptions): LightReader {
  const context = createContext(options, true);
  return { read: (name, input) => reads[name](context, input), ...createStreamingReads(context) };
}

const createStreamingReads = (context: ReadContext): StreamingReads => ({
  readBlob: (input, range) => readBlob(context, input, range),
  export: (input) => exportRecords(context, input),
});

/** Does one piece of an export in this thread. */
export const readPiece = (options: Omit<ReaderOptions, "disclose">, input: Input<"export">): Promise<ExportPiece> =>
  readExportPiece(createContext(options, false), input);

const createContext = (options: ReaderOptions, isLightOnly: boolean): ReadContext => ({
  store: chooseStore(options),
  scope: options.scope,
  keys: deriveCursorKeys(options.store.secret),
  now: options.now ?? Date.now,
  disclose: options.disclose ?? (() => undefined),
  checkStillValid: options.checkStillValid ?? (() => Promise.resolve()),
  throwIfStopped: options.throwIfStopped ?? (() => undefined),
  isLightOnly,
  pagesUrl: options.pagesUrl,
  measure: options.measure ?? measureAsJson,
});

/** Records may come from a replica of the vault's database. */
function chooseStore({ store, scope }: ReaderOptions): Store {
  const engine = store.findReadEngine(scope.viewpoint);
  return engine === undefined ? store : { ...store, engine };
}
