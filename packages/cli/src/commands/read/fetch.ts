import type { WireRecord } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { formatCard } from "../../render/card.ts";
import { formatDocument } from "../../render/document.ts";
import { formatRecord, formatRowsTable } from "../../render/records.ts";
import type { View } from "../../render/view.ts";
import { collectValues } from "../../runtime/command.ts";
import { pickArguments } from "./lists.ts";
import { addReadCommand, onRead } from "./reading.ts";
import { parseRecordArguments } from "./record.ts";

export function addFetch(group: Command): void {
  const fetching = addReadCommand(group, "fetch", "<id>|<stream> <id>", "Show one record by its id", [
    "pdpp read fetch cin_mail/messages:m1",
    "pdpp read fetch orders KB-345975 --fields shop,total_amount",
    "pdpp read fetch http://127.0.0.1:7663 orders KB-345975 --json",
  ])
    .option("--fields <names>", "only these fields, comma-separated")
    .option("--view <name>", "a view of the stream, document for readable text, or evidence for a card")
    .option("--expand <names>", "include related records, comma-separated")
    .option("--expand-limit <name=n>", "at most n of them (repeatable)", collectValues)
    .option("--limit-chars <n>", "with --view document: approximate length (default: 8192)")
    .option("--after-field <name>", "with --view document: continue after this field")
    .option("--connection-id <id>", "connection, if several have the stream");
  onRead<{ limitChars?: string; connectionId?: string }>(fetching, async ({ api, options, out, token, words }) => {
    const isDocument = out.format === "card" || options.limitChars !== undefined;
    const document = await api.fetch({
      ...pickArguments("fetch", { ...(isDocument ? { view: "document" } : {}), ...options }),
      ...parseRecordArguments(words, options.connectionId),
    });
    const formatResult = (view: View, plain: (record: WireRecord) => string): string => {
      if (document.object === "evidence_card") return formatCard(view, document);
      return document.object === "record_document" ? formatDocument(view, document, token) : plain(document);
    };
    out.show(document, {
      card: (view) => formatResult(view, (record) => formatRecord(view, record)),
      table: (view) => formatResult(view, (record) => formatRowsTable(view, [record])),
    });
  });
}
