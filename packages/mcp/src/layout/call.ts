import type { Continuation, RecordArguments } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { literal } from "@pdpp/evidence/text/literal";

/** The next call, as a model writes it. */
export type ToolCall = {
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** A call with the arguments that have a value. */
export const callTo = (tool: string, args: object): ToolCall => ({
  tool,
  arguments: definedOnly({ ...args }) as JsonObject,
});

/** The arguments that were given. */
export const definedOnly = <T extends object>(args: T): Defined<T> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Defined<T>;

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A continuation as a tool call. Blobs have no tool: whoever holds one reads the field that names it. */
export function toolCall(next: Continuation): ToolCall {
  switch (next.operation) {
    case "fetch": {
      const { stream, record_id, connection_id, ...rest } = next.arguments;
      return callTo("fetch", { id: handleOf(next.arguments), ...rest });
    }
    case "readField": {
      const { stream, record_id, connection_id, field, max_chars, ...selector } = next.arguments;
      return callTo("read_record_field", { id: handleOf(next.arguments), field_path: field, ...selector });
    }
    case "queryRecords":
      return callTo("query_records", { ...next.arguments });
    case "aggregate":
      return callTo("aggregate", next.arguments);
    case "search": {
      const { q, ...rest } = next.arguments;
      return callTo("search", { query: q, ...rest });
    }
    case "schema":
      return callTo("schema", { ...next.arguments });
    case "readBlob":
      throw new Error("no tool reads blobs");
  }
}

const handleOf = ({ connection_id: connectionId, stream, record_id: recordId }: RecordArguments): string =>
  formatHandle({ connectionId, stream, recordId });

export const fetchCall = (id: string): ToolCall => ({ tool: "fetch", arguments: { id } });

/** One line, tool and arguments, nothing after it. */
export const callLine = ({ tool, arguments: args }: ToolCall): string => `-> ${tool} ${literal(args)}`;
