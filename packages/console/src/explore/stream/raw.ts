import type { ReadApi } from "@pdpp/contract/operations";
import type { WireRecord } from "@pdpp/contract/wire";
import { formatCsvLine } from "./csv.ts";
import { buildQueryInput, type RawFormat, type TableQuestion } from "./table-question.ts";

/** Streams a table as a file, page by page. */

const types: Readonly<Record<RawFormat, string>> = {
  json: "application/json",
  ndjson: "application/x-ndjson",
  csv: "text/csv; charset=utf-8",
};

const rowsPerPage = 100;

export async function createRawResponse(reader: ReadApi, question: TableQuestion, as: RawFormat): Promise<Response> {
  const pages = readPages(reader, question);
  // Show errors on a page before the file starts.
  const first = await pages.next();
  const name = `${question.source}-${question.stream}`.replace(/[^\w-]/g, "_").slice(0, 80);
  return new Response(ReadableStream.from(encodeLines(formatLines(first, pages, question, as))), {
    headers: {
      "content-type": types[as],
      "content-disposition": `attachment; filename="${name}.${as}"`,
      "cache-control": "private, no-store",
      "content-security-policy": "default-src 'none'; sandbox",
      "referrer-policy": "same-origin",
      "x-frame-options": "DENY",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}

type Page = readonly WireRecord[];

async function* readPages(reader: ReadApi, question: TableQuestion): AsyncGenerator<Page, void> {
  const asked = { ...buildQueryInput(question), fields: [...question.columns], limit: rowsPerPage };
  let cursor: string | undefined;
  do {
    const { data, next_cursor } = await reader.queryRecords({ ...asked, ...(cursor === undefined ? {} : { cursor }) });
    yield data.filter((item): item is WireRecord => item.object === "record" && !("deleted" in item));
    cursor = next_cursor;
  } while (cursor !== undefined);
}

async function* formatLines(
  first: IteratorResult<Page, void>,
  rest: AsyncGenerator<Page, void>,
  { columns }: TableQuestion,
  as: RawFormat,
): AsyncGenerator<string> {
  if (as === "csv") yield formatCsvLine(columns);
  if (as === "json") yield "[";
  let isFirst = true;
  for (let page = first; page.done !== true; page = await rest.next()) {
    for (const record of page.value) {
      if (as === "csv")
        yield formatCsvLine(columns.map((name) => (Object.hasOwn(record.data, name) ? record.data[name] : null)));
      else yield as === "json" ? `${isFirst ? "\n" : ",\n"}${JSON.stringify(record)}` : `${JSON.stringify(record)}\n`;
      isFirst = false;
    }
  }
  if (as === "json") yield "\n]\n";
}

async function* encodeLines(lines: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const line of lines) yield encoder.encode(line);
}
