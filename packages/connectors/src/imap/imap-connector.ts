import { runConnector } from "../kit/run-connector.ts";
import { Account } from "./account.ts";
import { readSettings } from "./settings.ts";
import { syncAccount } from "./sync-account.ts";

await runConnector(async (run) => {
  const settings = readSettings(process.env);
  const account = new Account(settings);
  try {
    await syncAccount(run, account, settings);
  } finally {
    await account.logOut();
  }
});
