/** Whether what answers at an address is pdpp. */

const answerMs = 2000;
/** What listens everywhere, or by this computer's own name, is reached here. */
const everywhere: ReadonlySet<string> = new Set(["localhost", "0.0.0.0", "::"]);

/** The address at which pdpp answers on that port; undefined when nothing does, or something else. */
export async function findRunningServer(port: number, host = "localhost"): Promise<string | undefined> {
  const name = everywhere.has(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `http://${name}:${port}`;
  try {
    const answer = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    const { object, error } = (await answer.json()) as { object?: unknown; error?: { code?: unknown } };
    // A server that goes by a public name refuses to be called by another, and says so in our words.
    return object === "pdpp_discovery_index" || error?.code === "misdirected_request" ? url : undefined;
  } catch {
    return undefined;
  }
}
