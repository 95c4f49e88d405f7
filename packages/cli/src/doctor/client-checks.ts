import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { commandName, isInstalled } from "@pdpp/agent-setup/command-name";
import { isLoopback } from "@pdpp/agent-setup/loopback";
import { parseErrorEnvelope } from "@pdpp/contract/errors";
import { getErrorCode, getErrorMessage } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import {
  type ClientCredential,
  type CredentialRequest,
  describeHowToConnect,
  describeStaleCredential,
  findClientCredential,
  ownerVariables,
} from "../credentials/credentials.ts";
import { CredentialError, UsageError } from "../runtime/failure.ts";
import { getProgram } from "../setup/start.ts";
import { type Check, failCheck, passCheck, warnCheck } from "./checks.ts";

const answerMs = scaleTimeLimit(5000);
const startMs = scaleTimeLimit(20_000);

interface AgentsRequest extends CredentialRequest {
  /** The server of this vault, if it runs. */
  readonly running?: string;
}

export async function checkAgents(request: AgentsRequest): Promise<Check[]> {
  const warnings: string[] = [];
  const { check, credential } = checkCredential({ ...request, warn: (text) => warnings.push(text) });
  const adapter = checkEnvironment(request.env) ?? (await checkAdapter(credential === undefined));
  if (credential === undefined) return [check, adapter];
  const safety = warnings.map((detail) => warnCheck("encryption", detail));
  const server = await checkServer(credential.providerUrl);
  const token = server.state === "ok" ? [await checkToken(credential)] : [];
  return [check, ...checkFileMode(credential), ...safety, server, ...token, adapter];
}

function checkCredential({ running, ...request }: AgentsRequest): { check: Check; credential?: ClientCredential } {
  const name = "agents";
  try {
    const credential = findClientCredential(request);
    const detail = `for ${credential.providerUrl}, from ${credential.from === "environment" ? "PDPP_ACCESS_TOKEN" : credential.from}`;
    return { check: passCheck(name, detail), credential };
  } catch (error) {
    if (error instanceof UsageError) return { check: warnCheck(name, error.message) };
    if (!(error instanceof CredentialError)) throw error;
    const advice = error.details.next_step;
    if (error.reason !== "missing") return { check: failCheck(name, error.message, advice) };
    const how = running === undefined ? advice : describeHowToConnect(running, false, request.cacheRoot);
    return { check: warnCheck(name, "none connected", `connect one: ${commandName} setup; ${how}`) };
  }
}

function checkFileMode({ from }: ClientCredential): Check[] {
  if (from === "environment" || process.platform === "win32" || (statSync(from).mode & 0o077) === 0) return [];
  return [warnCheck("secrecy", `${from} can be read by other users`, `chmod 600 ${from}`)];
}

async function checkServer(providerUrl: string): Promise<Check> {
  const name = "server";
  try {
    const answer = await fetch(`${providerUrl}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    await answer.body?.cancel();
    return passCheck(name, `${providerUrl} is reachable`);
  } catch (error) {
    const reason = error instanceof Error ? (getErrorCode(error.cause) ?? error.name) : String(error);
    const advice = isLoopback(providerUrl)
      ? `start it with ${commandName} serve (--demo for the demo)`
      : "check the address, the network and the server";
    return warnCheck(name, `${providerUrl} is not reachable (${reason})`, advice);
  }
}

export async function checkToken(credential: ClientCredential): Promise<Check> {
  const name = "token";
  const { providerUrl, accessToken, from } = credential;
  const advice =
    from === "environment"
      ? "set PDPP_ACCESS_TOKEN to a valid token, or unset it"
      : `agents that can sign in ask for access after ${commandName} setup CLIENT --write; otherwise ${describeHowToConnect(providerUrl, true)}`;
  try {
    const answer = await fetch(`${providerUrl}/v1/streams`, {
      headers: { authorization: `Bearer ${accessToken}` },
      redirect: "error",
      signal: AbortSignal.timeout(answerMs),
    });
    if (answer.ok) {
      await answer.body?.cancel();
      return passCheck(name, "accepted by the server");
    }
    const problem = parseErrorEnvelope(answer.status, await answer.json().catch(() => null));
    const stale = answer.status === 401 ? describeStaleCredential(credential) : undefined;
    if (stale !== undefined) return failCheck(name, stale.message, stale.next);
    const refused = answer.status === 401 || answer.status === 403;
    if (refused) return failCheck(name, `rejected by the server: ${problem.message}`, advice);
    return warnCheck(name, problem.message, `check the output of ${commandName} serve`);
  } catch (error) {
    return warnCheck(name, `no response: ${getErrorMessage(error)}`, `run ${commandName} doctor again`);
  }
}

/** An agent started from this shell inherits its environment. */
function checkEnvironment(env: CredentialRequest["env"]): Check | undefined {
  const owner = ownerVariables.find((name) => env[name]);
  if (owner === undefined) return undefined;
  const detail = `${owner} is set; pdpp mcp refuses to start while an owner credential is in the environment`;
  return warnCheck("adapter", detail, `start agents without ${owner}`);
}

/** Starts the adapter like an agent would, with --help. Only a warning if no agent is connected. */
function checkAdapter(idle: boolean): Promise<Check> {
  const name = "adapter";
  return new Promise((resolve) => {
    const [command, ...first] = getProgram();
    execFile(command, [...first, "mcp", "--help"], { timeout: startMs }, (error, stdout) => {
      if (error === null && /^Usage: pdpp mcp\b/m.test(stdout))
        return resolve(passCheck(name, "pdpp mcp can be started"));
      const repair = isInstalled ? "install pdpp again" : "run npm install in the folder of pdpp";
      const advice = `${repair}, then ${commandName} setup CLIENT --write again`;
      resolve((idle ? warnCheck : failCheck)(name, "pdpp mcp cannot be started", advice));
    });
  });
}
