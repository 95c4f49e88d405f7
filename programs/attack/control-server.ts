import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * A server that does nothing, measured next to ours. What it takes is what the machine takes, so limits are scaled by it: a busy machine
 * neither fails an attack nor passes one.
 */
export interface ControlServer {
  readonly url: URL;
  stop(): void;
}

const program = `const server = require("node:http").createServer((_, response) => response.end("ok"));
server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port));`;

export async function startControlServer(): Promise<ControlServer> {
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout }))
    return { url: new URL(line), stop: () => void child.kill() };
  throw new Error("the control server did not start");
}

/** On an idle machine, 99 of 100 requests to the control server take less. */
const idleMs = 5;
/** Beyond this the machine decides, not the server. */
const hopelessMs = 250;

/** The limit on this machine, given what the control server took; undefined if it is too busy to judge. */
export const scaleLimit = (limitMs: number, controlMs: number): number | undefined =>
  controlMs > hopelessMs ? undefined : limitMs * Math.max(1, controlMs / idleMs);
