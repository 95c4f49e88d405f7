import { parentPort, workerData } from "node:worker_threads";
import type { SqlValue } from "../sql.ts";
import { openConnection } from "./connection.ts";

/** Runs statements of heavy reads on a connection of its own, so that the main thread stays free for light ones. */

export type HeavyRequest = { id: number; text: string; values: readonly SqlValue[] };
export type HeavyAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

const connection = openConnection((workerData as { file: string }).file, "read");
const port = parentPort!;

port.on("message", (message: HeavyRequest | "close") => {
  if (message === "close") {
    connection.close();
    port.close();
    return;
  }
  const { id, text, values } = message;
  try {
    port.postMessage({ id, rows: connection.all(text, values) } satisfies HeavyAnswer);
  } catch (error) {
    port.postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies HeavyAnswer);
  }
});
