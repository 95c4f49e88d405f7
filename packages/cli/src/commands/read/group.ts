import type { Command } from "commander";
import { addTopCommand } from "../../runtime/command.ts";
import { addAggregate } from "./aggregate.ts";
import { addReadBlob } from "./blob.ts";
import { addReadExport } from "./export.ts";
import { addFetch } from "./fetch.ts";
import { addFieldWindow } from "./field-window.ts";
import { addQueryRecords } from "./query-records.ts";
import { addSchema, addStreams } from "./schema.ts";
import { addSearch } from "./search.ts";

export function addRead(program: Command): void {
  const group = addTopCommand(program, "read", [
    "pdpp read streams",
    'pdpp read search "boiler warranty"',
    'pdpp read search "boiler warranty" --open 2',
    "pdpp read query-records orders --limit 5 --format table",
  ]).addHelpText(
    "after",
    "\nThe server's URL can be the first argument; it defaults to the one you have a token for." +
      "\nThe token is PDPP_ACCESS_TOKEN, or the one saved by pdpp grant create --save." +
      "\nExit codes: 2 for usage errors, no usable token or no response; 3, 4, 5 for HTTP 401, 403, 404; 1 for other errors.",
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
