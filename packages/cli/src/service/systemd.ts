import { join, posix } from "node:path";
import { UsageError } from "../runtime/failure.ts";
import {
  buildBackupArgs,
  buildServeArgs,
  marker,
  type ServiceDefinition,
  type ServiceFile,
  type ServiceManager,
  type ServicePlace,
  type ServiceUnit,
} from "./definition.ts";

const stateFolder = "/var/lib";
const systemDataDir = `${stateFolder}/pdpp`;

/** Needs no namespaces, so a user's own manager can do it. V8 writes code while it runs, which rules out MemoryDenyWriteExecute. */
const commonHardening = [
  "UMask=0077",
  "NoNewPrivileges=yes",
  "LockPersonality=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "RestrictNamespaces=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
  "SystemCallArchitectures=native",
  "SystemCallFilter=@system-service",
  "SystemCallErrorNumber=EPERM",
];

const systemHardening = [
  "DynamicUser=yes",
  // Both units name it, so that they share the user and the vault.
  "User=pdpp",
  "StateDirectoryMode=0700",
  "CacheDirectory=pdpp",
  "Environment=NODE_COMPILE_CACHE=/var/cache/pdpp",
  // The single executable unpacks itself below it.
  "Environment=XDG_CACHE_HOME=/var/cache",
  // The service has no home folder for the key of its sources' credentials, which must not be in the vault's.
  `Environment=PDPP_KEY_DIR=${stateFolder}/pdpp-keys`,
  "ProtectSystem=strict",
  "ProtectHome=yes",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "PrivateUsers=yes",
  "PrivateIPC=yes",
  "ProtectProc=invisible",
  "ProcSubset=pid",
  "ProtectKernelTunables=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelLogs=yes",
  "ProtectControlGroups=yes",
  "ProtectClock=yes",
  "ProtectHostname=yes",
  "RemoveIPC=yes",
  "CapabilityBoundingSet=",
  "SystemCallFilter=~@privileged @resources",
];

export function createSystemd(place: ServicePlace): ServiceManager {
  const { isSystem } = place;
  const scope = isSystem ? [] : ["--user"];
  const config = isSystem ? "/etc" : place.env.XDG_CONFIG_HOME || join(place.home, ".config");
  const unitFolder = join(config, "systemd", isSystem ? "system" : "user");
  const environmentFile = join(config, "pdpp", "environment");
  const systemctl = (...args: string[]) => ({ command: "systemctl", args: [...scope, ...args] });
  const createUnit = (name: string, files: readonly string[]): ServiceUnit => ({
    name,
    paths: files.map((file) => join(unitFolder, file)),
    status: systemctl("is-active", name),
    isActive: ({ stdout }) => stdout.trim() === "active",
  });
  const server = createUnit("pdpp.service", ["pdpp.service"]);
  const backup = createUnit("pdpp-backup.timer", ["pdpp-backup.service", "pdpp-backup.timer"]);

  return {
    title: `systemd (${isSystem ? "system" : "user"})`,
    ...(isSystem ? { ownDataDir: systemDataDir } : {}),
    server,
    backup,
    sharedPaths: [environmentFile],
    buildFiles(definition) {
      if (isSystem) checkReadable(definition);
      const [serverFile, backupFile, timerFile] = [...server.paths, ...backup.paths];
      const { databaseUrl } = definition;
      const units: [string | undefined, string | undefined][] = [
        [serverFile, buildServerUnit(definition, isSystem, environmentFile)],
        [backupFile, definition.backup && buildBackupUnit(definition, isSystem, environmentFile)],
        [timerFile, definition.backup && buildTimer()],
      ];
      return [
        ...units.flatMap(([path, content]) =>
          path === undefined || content === undefined ? [] : [createFile(path, content)],
        ),
        ...(databaseUrl === undefined ? [] : [createEnvironmentFile(environmentFile, databaseUrl)]),
      ];
    },
    start: (units) => [
      systemctl("daemon-reload"),
      systemctl("enable", ...units.map(({ name }) => name)),
      // Also applies a changed file to a service that runs.
      systemctl("restart", ...units.map(({ name }) => name)),
    ],
    stop: (units) => [systemctl("disable", "--now", ...units.map(({ name }) => name))],
    forget: [systemctl("daemon-reload")],
    showLogs: ({ lines, follow, json }) => ({
      command: "journalctl",
      args: [
        ...scope,
        "--unit=pdpp.service",
        "--unit=pdpp-backup.service",
        `--lines=${lines}`,
        "--no-pager",
        ...(json ? ["--output=json"] : []),
        ...(follow ? ["--follow"] : []),
      ],
    }),
    notes: isSystem
      ? [`The vault is in ${systemDataDir}. Sign in with: sudo pdpp sign-in --data-dir ${systemDataDir}`]
      : ["It runs while you are signed in. To run it always: loginctl enable-linger"],
  };
}

const createFile = (path: string, content: string): ServiceFile => ({ path, content, encoding: "utf8", mode: 0o644 });

/** The database's address has a password, which must not be in a unit: every user can read those. */
function createEnvironmentFile(path: string, databaseUrl: string): ServiceFile {
  const build = (value: string): string => `# ${marker}\nPDPP_DATABASE_URL=${value}\n`;
  const quoted = `"${databaseUrl.replace(/["\\`$]/g, "\\$&")}"`;
  return { path, content: build(quoted), shown: build("(secret)"), encoding: "utf8", mode: 0o600 };
}

/** The system's user cannot read home folders, and writes only below /var/lib. */
function checkReadable({ program, backup }: ServiceDefinition): void {
  const hidden = program.find((file) => /^\/(home|root|run\/user)\//.test(file));
  if (hidden !== undefined)
    throw new UsageError(
      `a system service cannot read ${hidden}; install Node and pdpp for all users, or drop --system`,
    );
  if (backup !== undefined && posix.dirname(backup.folder) !== stateFolder)
    throw new UsageError(
      `a system service can write backups only to a folder directly in ${stateFolder}, such as ${stateFolder}/pdpp-backups; mount another disk there`,
    );
}

const listLines = (...lines: readonly (string | undefined)[]): string =>
  `${lines.filter((line) => line !== undefined).join("\n")}\n`;

function buildServerUnit(definition: ServiceDefinition, isSystem: boolean, environmentFile: string): string {
  // systemd reads the files as root and shows them to the service alone, as they were when it started.
  const handedOver = isSystem ? definition.tls : undefined;
  const ownArgs = handedOver === undefined ? buildServeArgs(definition) : definition.serveArgs;
  const expanded = handedOver === undefined ? [] : ["--tls-cert", "%d/tls-cert", "--tls-key", "%d/tls-key"];
  return listLines(
    `# ${marker}`,
    "[Unit]",
    "Description=pdpp personal-data vault",
    isSystem ? "Wants=network-online.target" : undefined,
    isSystem ? "After=network-online.target" : undefined,
    "",
    "[Service]",
    "Type=exec",
    formatExecStart(definition, ["serve", ...ownArgs], expanded),
    formatEnvironmentFile(definition, environmentFile),
    handedOver && `LoadCredential=tls-cert:${escapePercent(handedOver.certFile)}`,
    handedOver && `LoadCredential=tls-key:${escapePercent(handedOver.keyFile)}`,
    "Restart=on-failure",
    "RestartSec=5",
    "TimeoutStopSec=30",
    ...(isSystem ? ["StateDirectory=pdpp pdpp-keys", ...systemHardening] : []),
    ...commonHardening,
    "",
    "[Install]",
    `WantedBy=${isSystem ? "multi-user" : "default"}.target`,
  );
}

function buildBackupUnit(
  definition: ServiceDefinition,
  isSystem: boolean,
  environmentFile: string,
): string | undefined {
  const { backup } = definition;
  if (backup === undefined) return undefined;
  // systemd reads the file as root and shows it to the service alone.
  const isHandedOver = isSystem && backup.passphraseFile !== undefined;
  const ownArgs = buildBackupArgs(backup, isHandedOver ? undefined : backup.passphraseFile);
  return listLines(
    `# ${marker}`,
    "[Unit]",
    "Description=Daily backup of the pdpp vault",
    "",
    "[Service]",
    "Type=oneshot",
    formatExecStart(definition, ownArgs, isHandedOver ? ["--passphrase-file", "%d/passphrase"] : []),
    formatEnvironmentFile(definition, environmentFile),
    isHandedOver ? `LoadCredential=passphrase:${escapePercent(backup.passphraseFile ?? "")}` : undefined,
    "Nice=10",
    "IOSchedulingClass=idle",
    ...(isSystem ? [`StateDirectory=pdpp ${posix.basename(backup.folder)}`, ...systemHardening] : []),
    ...commonHardening,
  );
}

const buildTimer = (): string =>
  listLines(
    `# ${marker}`,
    "[Unit]",
    "Description=Daily backup of the pdpp vault",
    "",
    "[Timer]",
    "OnCalendar=daily",
    "# Catches up after the machine was off.",
    "Persistent=yes",
    "RandomizedDelaySec=30m",
    "",
    "[Install]",
    "WantedBy=timers.target",
  );

const escapePercent = (text: string): string => text.replaceAll("%", "%%");

/** systemd expands % and $ and splits at spaces. */
function quoteWord(word: string): string {
  const escaped = escapePercent(word).replaceAll("$", "$$$$");
  return /^[\w@%+=:,./-]+$/.test(escaped) ? escaped : `"${escaped.replace(/["\\]/g, "\\$&")}"`;
}

/** `expanded` are words in which systemd expands a %. */
function formatExecStart(
  { program, dataDir }: ServiceDefinition,
  args: readonly string[],
  expanded: readonly string[] = [],
): string {
  const words = [...program, ...args, "--data-dir", dataDir].map(quoteWord);
  return `ExecStart=${[...words, ...expanded].join(" ")}`;
}

const formatEnvironmentFile = ({ databaseUrl }: ServiceDefinition, path: string): string | undefined =>
  databaseUrl === undefined ? undefined : `EnvironmentFile=${escapePercent(path)}`;
