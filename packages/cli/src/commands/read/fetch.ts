import type { WireRecord } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { cardText } from "../../render/card.ts";
import { documentText } from "../../render/document.ts";
import { recordText, rowsTable } from "../../render/records.ts";
import type { View } from "../../render/view.ts";
import { several } from "../../runtime/command.ts";
import { limitsOf, names } from "./lists.ts";
import { given, numberOf, readCommand, reads } from "./reading.ts";
import { recordOf } from "./record.ts";

interface FetchOptions {
  readonly fields?: string;
  readonly view?: string;
  readonly expand?: string;
  readonly expandLimit?: string[];
  readonly afterField?: string;
  readonly limitChars?: string;
  readonly connectionId?: string;
}

export function addFetch(group: Command): void {
  const fetching = readCommand(group, "fetch", "<id>|<stream> <id>", "One record by its id", [
    "pdpp read fetch cin_mail/messages:m1",
    "pdpp read fetch orders KB-345975 --fields shop,total_amount",
    "pdpp read fetch http://127.0.0.1:7663 orders KB-345975 --json",
  ])
    .option("--fields <names>", "only these fields, comma-separated")
    .option("--view <name>", "a view of the stream; document: text to read; evidence: a card")
    .option("--expand <names>", "include related records, comma-separated")
    .option("--expand-limit <name=n>", "at most n of them (repeatable)", several)
    .option("--limit-chars <n>", "with --view document: approximate length (default: 8192)")
    .option("--after-field <name>", "with --view document: continue after this field")
    .option("--connection-id <id>", "the connection, if several have the stream");
  reads<FetchOptions>(fetching, async ({ api, options, out, token, words }) => {
    const presented = out.format === "card" || options.limitChars !== undefined ? "document" : undefined;
    const document = await api.fetch({
      ...recordOf(words, options.connectionId),
      ...given({
        fields: options.fields === undefined ? undefined : names(options.fields),
        view: options.view ?? presented,
        limit_chars: numberOf(options.limitChars),
        after_field: options.afterField,
        expand: options.expand === undefined ? undefined : names(options.expand),
        expand_limit: limitsOf(options.expandLimit),
      }),
    });
    const textOf = (view: View, plain: (record: WireRecord) => string): string => {
      if (document.object === "evidence_card") return cardText(view, document);
      return document.object === "record_document" ? documentText(view, document, token) : plain(document);
    };
    out.show(document, {
      card: (view) => textOf(view, (record) => recordText(view, record)),
      table: (view) => textOf(view, (record) => rowsTable(view, [record])),
    });
  });
}
