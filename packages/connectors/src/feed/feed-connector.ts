import { runConnector } from "../kit/run-connector.ts";
import { collectFeeds } from "./collect-feeds.ts";

await runConnector((run) => collectFeeds(run, process.env.FEED_URL));
