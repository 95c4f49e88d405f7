import { resolve } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { PdppError } from "@pdpp/contract/errors";
import type { Command } from "commander";
import { getHome } from "../../credentials/credential-file.ts";
import { defaultPort } from "../../credentials/provider-url.ts";
import { findVaultServer } from "../../doctor/running-server.ts";
import { formatProperties } from "../../render/terminal/table.ts";
import {
  addCommand,
  addTopCommand,
  type Call,
  onRun,
  parseIntegerBetween,
  type VaultLocation,
} from "../../runtime/command.ts";
import { UsageError } from "../../runtime/failure.ts";
import type { Output } from "../../runtime/output.ts";
import type { DailyBackup, ServiceDefinition, ServiceFile, ServiceManager } from "../../service/definition.ts";
import {
  askSystem,
  findInstalledUnits,
  formatStep,
  installService,
  listServicePaths,
  listUnits,
  removeService,
  showOutput,
} from "../../service/install.ts";
import { getServiceManager } from "../../service/manager.ts";
import { getProgram } from "../../setup/start.ts";
import { readTlsFiles } from "../../setup/tls-files.ts";

interface ServiceFlags {
  readonly system?: boolean;
}

interface InstallFlags extends ServiceFlags {
  readonly print?: boolean;
  readonly port: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly backupTo?: string;
  readonly keep: number;
  readonly passphraseFile?: string;
  readonly dataDir?: string;
}

interface LogFlags extends ServiceFlags {
  readonly lines: number;
  readonly follow?: boolean;
}

const systemHelp = "for the whole machine instead of your user (systemd, as root)";

export function addService(program: Command): void {
  const group = addTopCommand(program, "service", ["pdpp service install", "pdpp service status"]);
  addInstall(group);
  addStatus(group);
  addLogs(group);
  addRemove(group);
}

function addInstall(group: Command): void {
  const install = addCommand(group, "install", "Start pdpp serve with the computer, and back up every day", [
    "pdpp service install --print",
    "pdpp service install --backup-to /mnt/backups --keep 7",
    "sudo pdpp service install --system --public-url https://vault.example.org",
  ])
    .option("--print", "show the files and commands without touching anything")
    .option("--system", systemHelp)
    .option("--port <number>", "port to listen on", parseIntegerBetween(1, 65_535), defaultPort)
    .option("--host <address>", "address to listen on")
    .option("--public-url <url>", "public address, if it is not the one to listen on")
    .option("--tls-cert <file>", "serve https with this certificate, in PEM format with its chain")
    .option("--tls-key <file>", "private key of the certificate, in PEM format")
    .option("--backup-to <folder>", "back up to this folder every day, best on another disk")
    .option("--keep <number>", "daily backups to keep", parseIntegerBetween(1, 10_000), 7)
    .option("--passphrase-file <file>", "encrypt the backups with the passphrase in this file");
  onRun(install, async ({ options, out, location }: Call<InstallFlags>) => {
    const manager = findManager(options);
    const definition = describeService(options, location, manager);
    const files = manager.buildFiles(definition);
    if (options.print) return printPlan(out, manager, files, definition.backup);
    requireRoot(options);
    await requireFreeVault(manager, definition.dataDir);
    await installService(manager, files);
    const paths = files.map(({ path }) => path);
    out.result({ object: "service", manager: manager.title, status: "installed", files: paths }, (style) =>
      formatProperties(style, [
        ["service", `installed and started by ${manager.title}`],
        ...paths.map((path): [string, string] => ["file", path]),
        ["backups", definition.backup && `daily in ${definition.backup.folder}, ${definition.backup.keep} kept`],
      ]),
    );
    for (const note of manager.notes) out.remark(note);
    if (definition.backup === undefined) out.remark("There are no daily backups. Add --backup-to FOLDER.");
    out.remark(`Next: ${commandName} open`);
  });
}

const findManager = ({ system = false }: ServiceFlags): ServiceManager => {
  const { platform, env } = process;
  return getServiceManager({ platform, env, home: getHome(env), uid: process.getuid?.() ?? 0, isSystem: system });
};

function describeService(
  flags: InstallFlags,
  { dataDir, databaseUrl }: VaultLocation,
  { ownDataDir }: ServiceManager,
): ServiceDefinition {
  const { port, host, publicUrl, backupTo, keep, passphraseFile, dataDir: chosenDir } = flags;
  const tls = readTlsFiles(flags);
  if (ownDataDir !== undefined && chosenDir !== undefined && dataDir !== ownDataDir)
    throw new UsageError(`a system service keeps its vault in ${ownDataDir}; drop --data-dir and PDPP_DATA_DIR`);
  if (backupTo === undefined && passphraseFile !== undefined)
    throw new UsageError("--passphrase-file needs --backup-to");
  rejectControlCharacters(host, publicUrl, tls?.certFile, tls?.keyFile, backupTo, passphraseFile, dataDir, databaseUrl);
  return {
    program: getProgram(),
    dataDir: ownDataDir ?? dataDir,
    databaseUrl,
    serveArgs: [
      "--port",
      String(port),
      ...(host === undefined ? [] : ["--host", host]),
      ...(publicUrl === undefined ? [] : ["--public-url", publicUrl]),
    ],
    tls,
    backup:
      backupTo === undefined
        ? undefined
        : {
            folder: resolve(backupTo),
            keep,
            passphraseFile: passphraseFile === undefined ? undefined : resolve(passphraseFile),
          },
  };
}

/** A line break would start another setting of a unit. */
function rejectControlCharacters(...texts: readonly (string | undefined)[]): void {
  if (texts.some((text) => text !== undefined && /\p{Cc}/u.test(text)))
    throw new UsageError("a path or an address of the service has a control character");
}

function printPlan(
  out: Output,
  manager: ServiceManager,
  files: readonly ServiceFile[],
  backup: DailyBackup | undefined,
): void {
  const shown = files.map(({ path, content, shown: safe }) => ({
    path,
    content: (safe ?? content).replace("\uFEFF", ""),
  }));
  const commands = manager.start(listUnits(manager, backup !== undefined)).map(formatStep);
  out.result({ object: "service_plan", manager: manager.title, files: shown, commands }, () =>
    [...shown.map(({ path, content }) => `# ${path}\n${content}`), commands.join("\n")].join("\n"),
  );
  out.remark("Nothing was changed.");
}

function requireRoot({ system }: ServiceFlags): void {
  if (system && process.getuid?.() !== 0) throw new UsageError("--system needs root: run it with sudo");
}

/** Two servers of one vault would compete for the port, and the service would fail in the background. */
async function requireFreeVault(manager: ServiceManager, dataDir: string): Promise<void> {
  if (findInstalledUnits(manager).length > 0) return;
  const url = await findVaultServer(dataDir);
  if (url !== undefined)
    throw new PdppError("unavailable", `pdpp is already running for this vault at ${url}`, {
      next_step: `stop it, then run ${commandName} service install again`,
    });
}

function addStatus(group: Command): void {
  const status = addCommand(group, "status", "Say whether the service is installed and running", [
    "pdpp service status",
  ]).option("--system", systemHelp);
  onRun(status, async ({ options, out, location }: Call<ServiceFlags>) => {
    const manager = findManager(options);
    const installed = findInstalledUnits(manager);
    const states = await Promise.all(
      installed.map(async (unit) => ({ unit, isActive: unit.isActive(await askSystem(unit.status)) })),
    );
    const find = (wanted: unknown) => states.find(({ unit }) => unit === wanted)?.isActive;
    const [running, scheduled] = [find(manager.server), find(manager.backup)];
    const url = running ? await findVaultServer(manager.ownDataDir ?? location.dataDir) : undefined;
    const document = {
      object: "service",
      manager: manager.title,
      installed: running !== undefined,
      running: running ?? false,
      url: url ?? null,
      daily_backup: scheduled ?? false,
      files: listServicePaths(manager),
    };
    out.result(document, (style) =>
      formatProperties(style, [
        ["service", running === undefined ? "not installed" : running ? "running" : "installed, but not running"],
        ["address", url],
        ["backups", scheduled === undefined ? "none" : scheduled ? "daily" : "installed, but not scheduled"],
      ]),
    );
    if (running === undefined) out.remark(`Next: ${commandName} service install`);
    else if (!running) out.remark(`Next: ${commandName} service logs`);
    return running && scheduled !== false ? 0 : 1;
  });
}

function addLogs(group: Command): void {
  const logs = addCommand(group, "logs", "Show what the service printed", [
    "pdpp service logs",
    "pdpp service logs --follow",
  ])
    .option("--lines <number>", "number of lines", parseIntegerBetween(1, 100_000), 100)
    .option("--follow", "follow new lines")
    .option("--system", systemHelp);
  onRun(logs, async ({ options, out }: Call<LogFlags>) => {
    const { lines, follow = false } = options;
    return showOutput(findManager(options).showLogs({ lines, follow, json: out.json }));
  });
}

function addRemove(group: Command): void {
  const remove = addCommand(group, "remove", "Stop the service and remove its files; the vault and backups stay", [
    "pdpp service remove",
  ]).option("--system", systemHelp);
  onRun(remove, async ({ options, out }: Call<ServiceFlags>) => {
    const manager = findManager(options);
    if (listServicePaths(manager).length === 0) {
      out.result({ object: "service", status: "absent", files: [] }, () => "not installed");
      return;
    }
    requireRoot(options);
    const files = await removeService(manager);
    out.result({ object: "service", manager: manager.title, status: "removed", files }, (style) =>
      formatProperties(style, [["service", "removed"], ...files.map((path): [string, string] => ["file", path])]),
    );
  });
}
