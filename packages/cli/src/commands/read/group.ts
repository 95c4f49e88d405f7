import type { Command } from "commander";
import { addCommand } from "../../runtime/command.ts";
import { addAggregate } from "./aggregate.ts";
import { addReadBlob } from "./blob.ts";
import { addReadExport } from "./export.ts";
import { addFetch } from "./fetch.ts";
import { addFieldWindow } from "./field-window.ts";
import { addQueryRecords } from "./query-records.ts";
import { addSchema, addStreams } from "./schema.ts";
import { addSearch } from "./search.ts";

export function addRead(program: Command): void {
  const group = addCommand(program, "read", "Read with a client's token, within its grant", [
    "pdpp read streams",
    'pdpp read search "boiler warranty"',
    'pdpp read search "boiler warranty" --open 2',
    "pdpp read query-records orders --limit 5 --format table",
  ]).addHelpText(
    "after",
    "\nThe server's URL may come first; otherwise it is the one you have a token for." +
      "\nThe token is PDPP_ACCESS_TOKEN, or the one that pdpp grant create --save stored." +
      "\nExit codes: 2 for usage, no usable token or no answer; 3, 4, 5 for HTTP 401, 403, 404; 1 for anything else.",
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
