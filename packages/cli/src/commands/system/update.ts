import { isSea } from "node:sea";
import { commandName, isInstalled } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import { getErrorCode } from "@pdpp/server/system-error";
import { scaleTimeLimit } from "@pdpp/server/time-limits";
import { version } from "@pdpp/server/version";
import type { Command } from "commander";
import { parseJson, toObject } from "../../input/parse-json.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import { addTopCommand, type Call, onRun } from "../../runtime/command.ts";

interface UpdateFlags {
  readonly check?: boolean;
  readonly registry: string;
}

const answerMs = scaleTimeLimit(10_000);

/** Nothing else in pdpp asks whether there is a newer version. */
export function addUpdate(program: Command): void {
  const update = addTopCommand(program, "update", ["pdpp update", "pdpp update --check"])
    .option("--check", "ask the npm registry for the newest version")
    .option("--registry <url>", "registry to ask", "https://registry.npmjs.org");
  onRun(update, async ({ options, out }: Call<UpdateFlags>) => {
    const newest = options.check ? await fetchNewestVersion(options.registry) : undefined;
    const isNewer = newest === undefined ? undefined : compareVersions(newest, version) > 0;
    const document = { object: "update", version, newest: newest ?? null, newer: isNewer ?? null, steps };
    out.result(document, (style) =>
      formatProperties(style, [
        ["this version", version],
        ["newest", newest === undefined ? undefined : `${newest}${isNewer ? "" : " (you have it)"}`],
        ...(isNewer === false ? [] : steps.map((step, index): [string, string] => [`step ${index + 1}`, step])),
      ]),
    );
    if (newest === undefined)
      out.remark(`pdpp looks for a newer version only if you ask: ${commandName} update --check`);
  });
}

const replaceProgram = isSea()
  ? `replace ${process.execPath} with the newer executable`
  : isInstalled
    ? "npm install --global ./pdpp-X.Y.Z.tgz, the newer package"
    : "git pull && npm install";
const steps = [`${commandName} backup FILE`, replaceProgram, `restart ${commandName} serve`];

async function fetchNewestVersion(registry: string): Promise<string> {
  const address = `${registry.replace(/\/+$/, "")}/pdpp`;
  let answer: Response;
  try {
    answer = await fetch(address, {
      headers: { accept: "application/vnd.npm.install-v1+json" },
      signal: AbortSignal.timeout(answerMs),
    });
  } catch (error) {
    const reason = error instanceof Error ? (getErrorCode(error.cause) ?? error.name) : String(error);
    throw new PdppError("unavailable", `${address} could not be reached (${reason})`, {
      next_step: "check the network, or choose another --registry; pdpp itself needs no network",
    });
  }
  if (answer.status === 404)
    throw new PdppError("not_found", `${registry} has no package called pdpp`, {
      next_step: "pdpp update shows how to update without a registry",
    });
  const newest = answer.ok ? readNewest(await answer.text()) : undefined;
  if (newest === undefined)
    throw new PdppError("unavailable", `${address} answered with something else (status ${answer.status})`);
  return newest;
}

function readNewest(text: string): string | undefined {
  try {
    const { latest } = toObject(toObject(parseJson(text))["dist-tags"]);
    return typeof latest === "string" && /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(latest) ? latest : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the numbers; a pre-release comes before its release. */
function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((text) => {
    const [numbers = "", label] = text.split(/-(.*)/);
    return [...numbers.split(".").map(Number), label === undefined ? 1 : 0];
  });
  for (const [index, value] of (first ?? []).entries()) {
    const difference = value - (second?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
