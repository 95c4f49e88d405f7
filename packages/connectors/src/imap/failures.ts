import type { ImapFlowError } from "imapflow/lib/errors";
import { ConnectorFailure } from "../kit/protocol.ts";
import type { AccountSettings } from "./settings.ts";

/** Codes of imapflow and Node for connections that ended or were never made. */
const lineCodes = new Set([
  ...["NoConnection", "EConnectionClosed", "StateLogout", "ClosedAfterConnectText", "ClosedAfterConnectTLS"],
  ...["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT", "ETIMEOUT", "ETHROTTLE"],
  ...["ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EAI_AGAIN"],
]);

/** Codes with which servers say that they could not answer now. */
const busyResponses = new Set(["LIMIT", "INUSE", "UNAVAILABLE", "SERVERBUG", "OVERQUOTA"]);

type Explained = Pick<
  ImapFlowError,
  "code" | "authenticationFailed" | "serverResponseCode" | "responseText" | "oauthError" | "tlsFailed" | "message"
>;

const isExplained = (error: unknown): error is Explained => error instanceof Error;

const isBusy = ({ serverResponseCode }: Explained): boolean => busyResponses.has(serverResponseCode ?? "");

/** Whether another connection may do better. */
export const isPassing = (error: unknown): boolean =>
  isExplained(error) && (isBusy(error) || (error.authenticationFailed !== true && lineCodes.has(error.code ?? "")));

/** The connection ended without an error of imapflow. */
export const createLostConnection = (): Error =>
  Object.assign(new Error("the connection was lost"), { code: "NoConnection" });

/** Says what went wrong and what to do, without anything secret. */
export function explainFailure(error: unknown, { host, port, security }: AccountSettings): unknown {
  if (error instanceof ConnectorFailure || !isExplained(error)) return error;
  const place = `${host}:${port}`;
  const { code = "", authenticationFailed, responseText, oauthError } = error;
  const said = responseText === undefined ? "" : ` It said: ${responseText.slice(0, 200)}`;
  if (isBusy(error))
    return new ConnectorFailure(
      "server_busy",
      `${host} does not accept more connections or work now.${said}`,
      "retry_by_runtime",
    );
  if (authenticationFailed) {
    const what = oauthError === undefined ? "the user name or the password" : "the sign-in; sign in again";
    return new ConnectorFailure("sign_in_failed", `${host} rejected ${what}.${said}`, "refresh_credentials");
  }
  if (code === "ENOTFOUND")
    return new ConnectorFailure(
      "server_not_found",
      `There is no server ${host}. Check its name and the network.`,
      "retry_by_runtime",
    );
  const certificate = explainCertificate(code);
  if (certificate !== undefined)
    return new ConnectorFailure("certificate_rejected", `${place} ${certificate}`, "manual_action_required");
  if (code.startsWith("ERR_SSL") || code === "EPROTO" || error.tlsFailed || /STARTTLS/.test(error.message)) {
    const advice =
      security === "tls"
        ? "Use port 993, or set the security to starttls if the server has only port 143."
        : "Set the security to tls, which is port 993.";
    return new ConnectorFailure("tls_failed", `${place} did not start TLS. ${advice}`, "manual_action_required");
  }
  if (isPassing(error))
    return new ConnectorFailure(
      "connection_failed",
      `The connection to ${place} failed (${code || error.message}).`,
      "retry_by_runtime",
    );
  const message = `${host} failed to answer (${code || error.message}).${said}`;
  return new ConnectorFailure("server_failed", message.slice(0, 500), "retry_by_runtime");
}

const untrustedCode = /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)|CERT_/;

/** The server's certificate is not from a known authority. */
export const isUntrusted = (error: unknown): boolean => isExplained(error) && untrustedCode.test(error.code ?? "");

function explainCertificate(code: string): string | undefined {
  if (code === "CERT_HAS_EXPIRED") return "has a certificate that has expired. Renew it on the server.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return "has a certificate for another name. Use the name in the certificate as the server.";
  if (untrustedCode.test(code))
    return "has a certificate that this system does not trust. Install its authority on this system, or use a server with a public certificate.";
  return undefined;
}
