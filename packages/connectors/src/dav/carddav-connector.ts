import { runConnector } from "../kit/run-connector.ts";
import { contactService } from "./contacts.ts";
import { runDav } from "./run-dav.ts";

// Contacts do not change with time: the horizon never moves.
await runConnector((run) => runDav(run, contactService, 0, process.env));
