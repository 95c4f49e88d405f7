import { commandName } from "@pdpp/agent-setup/command-name";
import { isLoopback } from "@pdpp/agent-setup/loopback";
import { getErrorMessage } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { getEncryptionWarning } from "../credentials/provider-url.ts";
import { parseJsonObject } from "../input/parse-json.ts";
import { checkCertificate } from "./certificate-check.ts";
import { type Check, failCheck, passCheck, warnCheck } from "./checks.ts";

/** Checks a server like an agent would: the challenge, the metadata, and whether the names match. Registers nothing. */

const answerMs = scaleTimeLimit(10_000);
const maxAnswerChars = 256 * 1024;

interface Answer {
  readonly status: number;
  readonly challenge: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export async function checkOutside(providerUrl: string): Promise<Check[]> {
  const { origin } = new URL(providerUrl);
  const checks: Check[] = [checkEncryption(origin), ...(await checkCertificate(origin))];
  const challenges = await Promise.all(["GET", "HEAD", "POST"].map((method) => fetchAnswer(`${origin}/mcp`, method)));
  const broken = challenges.find((answer) => typeof answer === "string");
  if (typeof broken === "string") {
    const advice = isLoopback(origin)
      ? `start it with ${commandName} serve (--demo for the demo)`
      : "check the address, the certificate, the proxy and the server";
    return [...checks, failCheck("server", `${origin} is not reachable: ${broken}`, advice)];
  }
  const answers = challenges.filter((answer) => typeof answer !== "string");
  checks.push(passCheck("server", `${origin} is reachable`));
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(answers[0]?.challenge ?? "")?.[1];
  checks.push(checkChallenge(answers, metadataUrl));
  if (metadataUrl === undefined) return checks;
  const resource = await fetchAnswer(metadataUrl, "GET");
  const issuer = findIssuer(resource);
  checks.push(checkResource(resource, metadataUrl, origin), ...(await checkBareMetadata(origin, issuer)));
  if (issuer !== undefined) checks.push(...(await checkIssuer(issuer, origin)));
  return checks;
}

async function fetchAnswer(url: string, method: string): Promise<Answer | string> {
  try {
    const answer = await fetch(url, { method, redirect: "manual", signal: AbortSignal.timeout(answerMs) });
    const text = await answer.text();
    return {
      status: answer.status,
      challenge: answer.headers.get("www-authenticate") ?? "",
      body: text.length > maxAnswerChars ? {} : parseObject(text),
    };
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error
      ? getErrorMessage(error.cause)
      : getErrorMessage(error);
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return parseJsonObject(text);
  } catch {
    return {};
  }
}

function checkEncryption(origin: string): Check {
  const warning = getEncryptionWarning(origin);
  if (warning === undefined) return passCheck("encryption", isLoopback(origin) ? "on this computer" : "https");
  const advice =
    "start it with --tls-cert and --tls-key, or put an https proxy in front of it and start it with --public-url https://NAME";
  return warnCheck("encryption", warning, advice);
}

function checkChallenge(answers: readonly Answer[], metadataUrl: string | undefined): Check {
  const name = "challenge";
  const advice = "check that this is a pdpp server and that its proxy forwards WWW-Authenticate";
  const wrong = answers.find(({ status }) => status !== 401);
  if (wrong !== undefined)
    return failCheck(name, `/mcp without a token returned ${wrong.status} instead of 401`, advice);
  if (metadataUrl === undefined)
    return failCheck(name, "401, but without saying where an agent learns to sign in", advice);
  if (new Set(answers.map(({ challenge }) => challenge)).size > 1)
    return failCheck(name, "GET, HEAD and POST of /mcp are not challenged alike", advice);
  return passCheck(name, `401, and leads to ${metadataUrl}`);
}

const readStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

const findIssuer = (answer: Answer | string): string | undefined =>
  typeof answer === "string" ? undefined : readStrings(answer.body.authorization_servers)[0];

/** Agents compare the resource with their configured address exactly. */
function checkResource(answer: Answer | string, url: string, origin: string): Check {
  const name = "resource";
  if (typeof answer === "string" || answer.status !== 200)
    return failCheck(name, `${url} did not return 200`, advisePublicUrl(origin));
  const { resource } = answer.body;
  if (resource === `${origin}/mcp`) return passCheck(name, resource);
  const said = typeof resource === "string" ? resource : "nothing";
  return failCheck(
    name,
    `you reached ${origin}/mcp, but the server identifies itself as ${said}; agents will reject it`,
    `use ${said === "nothing" ? "another address" : said} for agents, or ${advisePublicUrl(origin)}`,
  );
}

const advisePublicUrl = (origin: string): string => `start the server with --public-url ${origin}`;

/** Some agents only read the metadata without a path. */
async function checkBareMetadata(origin: string, issuer: string | undefined): Promise<Check[]> {
  const url = `${origin}/.well-known/oauth-protected-resource`;
  const bare = await fetchAnswer(url, "GET");
  if (findIssuer(bare) === issuer && issuer !== undefined) return [];
  return [failCheck("resource", `${url} does not name the same authorization server`)];
}

const endpoints = ["authorization_endpoint", "token_endpoint", "registration_endpoint"];

async function checkIssuer(issuer: string, origin: string): Promise<Check[]> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/oauth-authorization-server`;
  const answer = await fetchAnswer(url, "GET");
  if (typeof answer === "string" || answer.status !== 200)
    return [failCheck("issuer", `${url} did not return 200`, advisePublicUrl(origin))];
  const { body } = answer;
  const isSame = body.issuer === issuer && issuer === origin;
  const other = `you reached ${origin}, the server names ${issuer} as issuer, which identifies itself as ${String(body.issuer)}`;
  const away = endpoints.filter((name) => !String(body[name]).startsWith(`${issuer}/`));
  const lacks = [
    ...(away.length === 0 ? [] : [`not on ${issuer}: ${away.join(", ")}`]),
    ...(readStrings(body.code_challenge_methods_supported).includes("S256") ? [] : ["no PKCE with S256"]),
  ];
  return [
    isSame ? passCheck("issuer", issuer) : failCheck("issuer", other, advisePublicUrl(origin)),
    lacks.length === 0
      ? passCheck("sign-in", "agents can register and sign in")
      : failCheck("sign-in", lacks.join("; "), "check that this is a pdpp server"),
  ];
}
