import { connect } from "node:tls";
import { getErrorCode, getErrorMessage } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { type Check, failCheck, passCheck, warnCheck } from "./checks.ts";

const handshakeMs = scaleTimeLimit(10_000);
const dayMs = 86_400_000;
/** Renewal programs renew earlier than this. */
const warnDays = 14;

interface Found {
  readonly expiresAt: number;
  /** Why a client would refuse it. */
  readonly problem: string | undefined;
}

/** Says what a client will think of the server's certificate. Without a TLS connection, other checks name the reason. */
export async function checkCertificate(origin: string): Promise<Check[]> {
  const url = new URL(origin);
  if (url.protocol !== "https:") return [];
  const found = await findCertificate(url).catch(() => undefined);
  if (found === undefined) return [];
  const name = "certificate";
  const day = new Date(found.expiresAt).toISOString().slice(0, 10);
  const advice = "renew it; pdpp serve uses the new files without a restart";
  if (found.expiresAt <= Date.now()) return [failCheck(name, `expired on ${day}`, advice)];
  if (found.problem !== undefined) return [failCheck(name, found.problem, adviseOnTrust(found.problem))];
  const detail = `trusted, valid until ${day}`;
  return [found.expiresAt - Date.now() < warnDays * dayMs ? warnCheck(name, detail, advice) : passCheck(name, detail)];
}

const adviseOnTrust = (problem: string): string =>
  /alt ?name|does not match/i.test(problem)
    ? "use a name that the certificate has, or get a certificate for this name"
    : "if you issued it yourself, start clients with NODE_EXTRA_CA_CERTS=FILE, where FILE has your authority's certificate; otherwise serve the whole chain";

function findCertificate({ hostname, port }: URL): Promise<Found> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const isName = /[a-z]/i.test(host) && !host.includes(":");
    // Nothing is sent: the connection ends after the handshake.
    const socket = connect(
      {
        host,
        port: port === "" ? 443 : Number(port),
        rejectUnauthorized: false,
        ...(isName ? { servername: host } : {}),
      },
      () => {
        const { valid_to: validTo } = socket.getPeerCertificate();
        const error: unknown = socket.authorizationError ?? undefined;
        const problem = error === undefined ? undefined : (getErrorCode(error) ?? getErrorMessage(error));
        socket.destroy();
        resolve({ expiresAt: Date.parse(validTo), problem });
      },
    );
    socket.setTimeout(handshakeMs, () => socket.destroy(new Error("no answer")));
    socket.once("error", reject);
  });
}
