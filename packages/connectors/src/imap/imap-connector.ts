import { runConnector } from "../kit/run-connector.ts";

await runConnector(async (run) => {
  await run.showProgress("Connecting");
});
