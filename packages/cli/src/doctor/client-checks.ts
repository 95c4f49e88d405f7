import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { parseErrorEnvelope } from "@pdpp/contract/errors";
import { isLoopback } from "@pdpp/contract/loopback";
import { getErrorCode, getErrorMessage } from "@pdpp/server/system-error";
import {
  type ClientCredential,
  type CredentialRequest,
  describeHowToConnect,
  describeStaleCredential,
  findClientCredential,
  ownerVariables,
} from "../credentials/credentials.ts";
import { CredentialError, UsageError } from "../runtime/failure.ts";
import { getNodeFile, pdppFile } from "../setup/start.ts";
import type { Check } from "./checks.ts";

/** What an agent on this machine needs, in the order in which it needs it. */

const answerMs = 5000;
const startMs = 20_000;

export async function checkAgents(request: CredentialRequest): Promise<Check[]> {
  const warnings: string[] = [];
  const { check, credential } = checkCredential({ ...request, warn: (text) => warnings.push(text) });
  const adapter = checkEnvironment(request.env) ?? (await checkAdapter(credential === undefined));
  if (credential === undefined) return [check, adapter];
  const safety = warnings.map((detail): Check => ({ name: "encryption", state: "warning", detail }));
  const server = await checkServer(credential.providerUrl);
  const token = server.state === "ok" ? [await checkToken(credential)] : [];
  return [check, ...checkFileMode(credential), ...safety, server, ...token, adapter];
}

function checkCredential(request: CredentialRequest): { check: Check; credential?: ClientCredential } {
  const name = "client credential";
  try {
    const credential = findClientCredential(request);
    const detail = `for ${credential.providerUrl}, from ${credential.from === "environment" ? "PDPP_ACCESS_TOKEN" : credential.from}`;
    return { check: { name, state: "ok", detail }, credential };
  } catch (error) {
    if (error instanceof UsageError) return { check: { name, state: "warning", detail: error.message } };
    if (!(error instanceof CredentialError)) throw error;
    // Whoever connects no agent needs none.
    const state = error.reason === "missing" ? "warning" : "failed";
    const advice = error.details.next_step;
    return { check: { name, state, detail: error.message, ...(advice === undefined ? {} : { advice }) } };
  }
}

function checkFileMode({ from }: ClientCredential): Check[] {
  if (from === "environment" || process.platform === "win32" || (statSync(from).mode & 0o077) === 0) return [];
  return [
    { name: "secrecy", state: "warning", detail: `${from} can be read by other users`, advice: `chmod 600 ${from}` },
  ];
}

async function checkServer(providerUrl: string): Promise<Check> {
  const name = "server";
  try {
    const answer = await fetch(`${providerUrl}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    await answer.body?.cancel();
    return { name, state: "ok", detail: `${providerUrl} answers` };
  } catch (error) {
    const reason = error instanceof Error ? (getErrorCode(error.cause) ?? error.name) : String(error);
    const advice = isLoopback(providerUrl)
      ? "start it with pdpp serve; npm start serves the demo"
      : "check the address, the network and the server";
    return { name, state: "warning", detail: `${providerUrl} does not answer (${reason})`, advice };
  }
}

export async function checkToken(credential: ClientCredential): Promise<Check> {
  const name = "token";
  const { providerUrl, accessToken, from } = credential;
  const advice =
    from === "environment"
      ? "set PDPP_ACCESS_TOKEN again, or unset it"
      : `an agent that can sign in asks you itself after pdpp setup CLIENT --write; else ${describeHowToConnect(providerUrl, true)}`;
  try {
    const answer = await fetch(`${providerUrl}/v1/streams`, {
      headers: { authorization: `Bearer ${accessToken}` },
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    if (answer.ok) {
      await answer.body?.cancel();
      return { name, state: "ok", detail: "the server takes it" };
    }
    const problem = parseErrorEnvelope(answer.status, await answer.json().catch(() => null));
    const stale = answer.status === 401 ? describeStaleCredential(credential) : undefined;
    if (stale !== undefined) return { name, state: "failed", detail: stale.message, advice: stale.next };
    const refused = answer.status === 401 || answer.status === 403;
    if (refused) return { name, state: "failed", detail: `the server refuses it: ${problem.message}`, advice };
    return { name, state: "warning", detail: problem.message, advice: "look at what pdpp serve printed" };
  } catch (error) {
    return {
      name,
      state: "warning",
      detail: `no answer: ${getErrorMessage(error)}`,
      advice: "run pdpp doctor again",
    };
  }
}

/** What an agent would start here inherits this environment. */
function checkEnvironment(env: CredentialRequest["env"]): Check | undefined {
  const owner = ownerVariables.find((name) => env[name]);
  if (owner === undefined) return undefined;
  const detail = `${owner} is set, and pdpp mcp does not start with an owner's credential around`;
  return { name: "adapter", state: "warning", detail, advice: `start agents without ${owner}` };
}

/** Started as an agent starts it, except that it only tells its usage; it matters less where no agent is to be connected. */
function checkAdapter(idle: boolean): Promise<Check> {
  const name = "adapter";
  return new Promise((resolve) => {
    execFile(getNodeFile(), [pdppFile, "mcp", "--help"], { timeout: startMs }, (error, stdout) => {
      if (error === null && /^Usage: pdpp mcp\b/m.test(stdout)) {
        return resolve({ name, state: "ok", detail: "pdpp mcp can be started" });
      }
      const advice = "run npm install in the folder of pdpp, then pdpp setup CLIENT --write again";
      resolve({ name, state: idle ? "warning" : "failed", detail: "pdpp mcp cannot be started", advice });
    });
  });
}
