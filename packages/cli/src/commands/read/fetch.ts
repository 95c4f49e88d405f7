import type { EvidenceCard } from "@pdpp/contract/wire";
import type { Command } from "commander";
import { several } from "../../command.ts";
import { cardText } from "../../render/card.ts";
import { recordText, rowsTable } from "../../render/records.ts";
import { limitsOf, names } from "./lists.ts";
import { given, readCommand, reads } from "./reading.ts";
import { recordOf } from "./record.ts";

interface FetchOptions {
  readonly fields?: string;
  readonly view?: string;
  readonly expand?: string;
  readonly expandLimit?: string[];
  readonly connectionId?: string;
}

export function addFetch(group: Command): void {
  const fetching = readCommand(group, "fetch", "<id>|<stream> <id>", "One record, by its id", [
    "pdpp read fetch cin_mail/messages:m1",
    "pdpp read fetch orders KB-345975 --fields shop,total_amount",
    "pdpp read fetch http://127.0.0.1:7663 orders KB-345975 --json",
  ])
    .option("--fields <names>", "only these fields, with commas between")
    .option("--view <name>", "a view of the stream, or evidence for a card")
    .option("--expand <names>", "related records to bring along")
    .option("--expand-limit <name=n>", "at most so many of them (may repeat)", several)
    .option("--connection-id <id>", "the connection, where several have such a stream");
  reads<FetchOptions>(fetching, async ({ api, options, out, words }) => {
    const cards = out.format === "card" && options.view === undefined;
    const document = await api.fetch({
      ...recordOf(words, options.connectionId),
      ...given({
        fields: options.fields === undefined ? undefined : names(options.fields),
        view: cards ? "evidence" : options.view,
        expand: options.expand === undefined ? undefined : names(options.expand),
        expand_limit: limitsOf(options.expandLimit),
      }),
    });
    const card = (document.object as string) === "evidence_card" ? (document as unknown as EvidenceCard) : null;
    out.show(document, {
      card: (view) => (card === null ? recordText(view, document) : cardText(view, card)),
      table: (view) => (card === null ? rowsTable(view, [document]) : cardText(view, card)),
    });
  });
}
