import type { Continuation, RecordArguments } from "@pdpp/contract/continuation";
import type { JsonObject } from "@pdpp/contract/declaration";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { toLiteral } from "@pdpp/evidence/text/literal";

/** The next call, as a model would write it. */
export type ToolCall = {
  readonly tool: string;
  readonly arguments: JsonObject;
};

/** A call without undefined arguments. */
export const createCall = (tool: string, args: object): ToolCall => ({
  tool,
  arguments: omitUndefined({ ...args }) as JsonObject,
});

export const omitUndefined = <T extends object>(args: T): Defined<T> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)) as Defined<T>;

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A continuation as a tool call. No tool reads blobs; read the field that refers to one instead. */
export function toToolCall(next: Continuation): ToolCall {
  switch (next.operation) {
    case "fetch": {
      const { stream, record_id, connection_id, ...rest } = next.arguments;
      return createCall("fetch", { id: formatRecordHandle(next.arguments), ...rest });
    }
    case "readField": {
      const { stream, record_id, connection_id, field, max_chars, ...selector } = next.arguments;
      return createCall("read_record_field", {
        id: formatRecordHandle(next.arguments),
        field_path: field,
        ...selector,
      });
    }
    case "queryRecords":
      return createCall("query_records", { ...next.arguments });
    case "aggregate":
      return createCall("aggregate", next.arguments);
    case "search": {
      const { q, ...rest } = next.arguments;
      return createCall("search", { query: q, ...rest });
    }
    case "schema":
      return createCall("schema", { ...next.arguments });
    case "readBlob":
      throw new Error("no tool reads blobs");
  }
}

const formatRecordHandle = ({ connection_id: connectionId, stream, record_id: recordId }: RecordArguments): string =>
  formatHandle({ connectionId, stream, recordId });

export const createFetchCall = (id: string): ToolCall => ({ tool: "fetch", arguments: { id } });

/** Tool and arguments on one line. */
export const formatCall = ({ tool, arguments: args }: ToolCall): string => `-> ${tool} ${toLiteral(args)}`;
