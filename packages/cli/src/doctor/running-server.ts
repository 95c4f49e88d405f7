import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { readServerFile } from "../runtime/server-file.ts";

const answerMs = scaleTimeLimit(2000);
/** Hosts that include the loopback address. */
const everywhere: ReadonlySet<string> = new Set(["localhost", "0.0.0.0", "::"]);

/** Returns the address if pdpp is what listens on this port. */
export async function findRunningServer(port: number, host = "localhost"): Promise<string | undefined> {
  const name = everywhere.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${name}:${port}`;
  return (await isServing(url)) ? url : undefined;
}

/** Returns the address of the server that has this vault open. */
export async function findVaultServer(dataDir: string): Promise<string | undefined> {
  const file = readServerFile(dataDir);
  if (file === undefined) return undefined;
  const url = toOwnAddress(file.url);
  // Its public name may lead elsewhere from here, and this program may not know the issuer of its certificate.
  return (await isServing(toOwnAddress(file.localUrl ?? url))) ? url : undefined;
}

/** A server on all addresses is reached at this computer's own. */
const toOwnAddress = (url: string): string => url.replace(/^http:\/\/(0\.0\.0\.0|\[::\])(?=:)/, "http://127.0.0.1");

/** Whether pdpp answers at this address. */
async function isServing(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    const { object, error } = (await answer.json()) as { object?: unknown; error?: { code?: unknown } };
    // A server with a public name rejects other host names with this error code.
    return object === "pdpp_discovery_index" || error?.code === "misdirected_request";
  } catch {
    return false;
  }
}
