import type { Command } from "commander";
import { command } from "../../command.ts";
import { addAggregate } from "./aggregate.ts";
import { addReadBlob } from "./blob.ts";
import { addReadExport } from "./export.ts";
import { addFetch } from "./fetch.ts";
import { addFieldWindow } from "./field-window.ts";
import { addQueryRecords } from "./query-records.ts";
import { addSchema, addStreams } from "./schema.ts";
import { addSearch } from "./search.ts";

export function addRead(program: Command): void {
  const group = command(program, "read", "Read as a client, with a scoped token and nothing more", [
    "pdpp read streams",
    'pdpp read search "boiler warranty"',
    'pdpp read search "boiler warranty" --open 2',
    "pdpp read query-records orders --limit 5 --format table",
  ]).addHelpText(
    "after",
    "\nThe address of the provider may come first; else it is the one you are connected to." +
      "\nThe token is PDPP_ACCESS_TOKEN, or the one that pdpp grant create --save has kept." +
      "\nExit codes: 2 usage, no usable token, or no answer; 3, 4, 5 for HTTP 401, 403, 404; 1 other.",
  );
  addSchema(group);
  addStreams(group);
  addSearch(group);
  addFieldWindow(group);
  addFetch(group);
  addQueryRecords(group);
  addAggregate(group);
  addReadBlob(group);
  addReadExport(group);
}
