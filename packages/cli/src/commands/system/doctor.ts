import type { StoreLocation } from "@pdpp/server/store/store";
import type { Command } from "commander";
import { defaultPort, normalizeProviderUrl } from "../../credentials/provider-url.ts";
import {
  type Check,
  checkDirectory,
  checkDisk,
  checkNode,
  checkPort,
  checkVault,
  passCheck,
} from "../../doctor/checks.ts";
import { checkAgents } from "../../doctor/client-checks.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { checkOutside } from "../../doctor/server-checks.ts";
import { escapeUnprintable, type Style } from "../../render/terminal/style.ts";
import { addTopCommand, type Call, onRun, parseIntegerBetween } from "../../runtime/command.ts";

interface DoctorFlags {
  readonly port: number;
  readonly providerUrl?: string;
  readonly cacheRoot?: string;
}

export function addDoctor(program: Command): void {
  const doctor = addTopCommand(program, "doctor [url]", [
    "pdpp doctor",
    "pdpp doctor https://vault.example.org",
    "pdpp doctor --data-dir /srv/vault --port 8080",
  ])
    .option("--port <number>", "port that pdpp serve will use", parseIntegerBetween(1, 65_535), defaultPort)
    .option("--provider-url <url>", "server that agents read from (default: the one with a saved credential)")
    .option("--cache-root <dir>", "folder with their credential (default: ~/.pdpp)");
  onRun(doctor, async ({ options, out, location }: Call<DoctorFlags>, url: string | undefined) => {
    const checks =
      url === undefined ? await checkHere(options, location) : await checkOutside(normalizeProviderUrl(url));
    const ok = checks.every(({ state }) => state !== "failed");
    out.result({ object: "doctor", ok, checks }, (style) => checks.map((check) => checkText(style, check)).join("\n"));
    return ok ? 0 : 1;
  });
}

async function checkHere(options: DoctorFlags, location: StoreLocation): Promise<Check[]> {
  const running = await findVaultServer(location.dataDir);
  return [
    checkNode(),
    ...(location.databaseUrl === undefined
      ? [await checkDirectory(location.dataDir), await checkDisk(location.dataDir)]
      : []),
    ...(await checkVault(location)),
    running === undefined || options.port !== defaultPort
      ? await checkPort(options.port)
      : passCheck("port", `this vault is served at ${running}`),
    ...(await checkAgents({ ...options, env: process.env, ...(running === undefined ? {} : { running }) })),
  ];
}

function checkText(style: Style, { name, state, detail, advice }: Check): string {
  const colour = { ok: style.green, warning: style.yellow, failed: style.red }[state];
  const line = `${colour(state.padEnd(7))}  ${name}: ${escapeUnprintable(detail)}`;
  return advice === undefined ? line : `${line}\n         ${escapeUnprintable(advice)}`;
}
