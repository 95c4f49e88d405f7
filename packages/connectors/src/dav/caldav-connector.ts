import { runConnector } from "../kit/run-connector.ts";
import { createCalendarService, findHorizon } from "./calendars.ts";
import { runDav } from "./run-dav.ts";

await runConnector(async (run) => {
  const horizon = findHorizon(Date.now());
  await runDav(run, createCalendarService(process.env.DAV_TIME_ZONE || undefined, horizon), horizon, process.env);
});
