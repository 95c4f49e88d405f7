import type { Input, OperationName, Output, ReadApi } from "@pdpp/contract/operations";

/** How one read is done. What it answers is what the work answers, or the same from a thread. */
export type RunRead = <N extends OperationName, T>(
  name: N,
  input: Input<N>,
  work: (reader: ReadApi, input: Input<N>) => Promise<T | Output<N>>,
) => Promise<T | Output<N>>;

/** A reader whose every read goes through `run`. */
export function readerThrough(run: RunRead): ReadApi {
  return {
    schema: (input) => run("schema", input, (reader, checked) => reader.schema(checked)),
    connectors: (input) => run("connectors", input, (reader, checked) => reader.connectors(checked)),
    streams: (input) => run("streams", input, (reader, checked) => reader.streams(checked)),
    stream: (input) => run("stream", input, (reader, checked) => reader.stream(checked)),
    queryRecords: (input) => run("queryRecords", input, (reader, checked) => reader.queryRecords(checked)),
    fetch: (input) => run("fetch", input, (reader, checked) => reader.fetch(checked)),
    aggregate: (input) => run("aggregate", input, (reader, checked) => reader.aggregate(checked)),
    search: (input) => run("search", input, (reader, checked) => reader.search(checked)),
    readField: (input) => run("readField", input, (reader, checked) => reader.readField(checked)),
    readBlob: (input, range) => run("readBlob", input, (reader, checked) => reader.readBlob(checked, range)),
    async *export(input) {
      yield* await run("export", input, async (reader, checked) => reader.export(checked));
    },
  };
}
