import { posix } from "node:path";
import {
  buildBackupArgs,
  buildServeArgs,
  marker,
  rejectDatabase,
  type ServiceDefinition,
  type ServiceFile,
  type ServiceManager,
  type ServicePlace,
  type ServiceUnit,
} from "./definition.ts";
import { escapeXml } from "./xml.ts";

/** Runs pdpp as an agent of the user, from sign-in on. */
export function createLaunchd({ home, uid }: ServicePlace): ServiceManager {
  const domain = `gui/${uid}`;
  const logFile = posix.join(home, "Library", "Logs", "pdpp.log");
  const createUnit = (name: string, activeState: RegExp): ServiceUnit => ({
    name,
    paths: [posix.join(home, "Library", "LaunchAgents", `${name}.plist`)],
    status: { command: "launchctl", args: ["print", `${domain}/${name}`] },
    isActive: ({ code, stdout }) => code === 0 && activeState.test(stdout),
  });
  const server = createUnit("org.pdpp.server", /^\s*state = running$/m);
  const backup = createUnit("org.pdpp.backup", /^/);
  const buildBootOut = ({ name }: ServiceUnit) =>
    ({ command: "launchctl", args: ["bootout", `${domain}/${name}`], mayFail: true }) as const;

  return {
    title: "launchd",
    server,
    backup,
    sharedPaths: [logFile],
    buildFiles(definition) {
      rejectDatabase(definition);
      return [
        ...server.paths.map((path) => createPlist(path, buildServerPlist(server.name, definition, logFile))),
        ...(definition.backup === undefined
          ? []
          : backup.paths.map((path) => createPlist(path, buildBackupPlist(backup.name, definition, logFile)))),
      ];
    },
    start: (units) =>
      units.flatMap((unit) => [
        buildBootOut(unit),
        ...unit.paths.map((path) => ({ command: "launchctl", args: ["bootstrap", domain, path] })),
      ]),
    stop: (units) => units.map(buildBootOut),
    forget: [],
    showLogs: ({ lines, follow }) => ({
      command: "tail",
      args: ["-n", String(lines), ...(follow ? ["-f"] : []), logFile],
    }),
    notes: ["It runs while you are signed in to this Mac."],
  };
}

const createPlist = (path: string, content: string): ServiceFile => ({ path, content, encoding: "utf8", mode: 0o644 });

type PlistValue = string | number | boolean | readonly string[] | { readonly [key: string]: PlistValue };

function formatValue(value: PlistValue): string {
  if (typeof value === "string") return `<string>${escapeXml(value)}</string>`;
  if (typeof value === "number") return `<integer>${value}</integer>`;
  if (typeof value === "boolean") return value ? "<true/>" : "<false/>";
  if (isList(value)) return `<array>${value.map(formatValue).join("")}</array>`;
  return formatDictionary(value);
}

const isList = (value: PlistValue): value is readonly string[] => Array.isArray(value);

const formatDictionary = (value: { readonly [key: string]: PlistValue }): string =>
  `<dict>\n${Object.entries(value)
    .map(([key, held]) => `  <key>${escapeXml(key)}</key>${formatValue(held)}\n`)
    .join("")}</dict>`;

const formatPlist = (value: { readonly [key: string]: PlistValue }): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${marker} -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
${formatDictionary(value)}
</plist>
`;

/** Octal 077. */
const privateUmask = 63;

const buildServerPlist = (name: string, definition: ServiceDefinition, logFile: string): string =>
  formatPlist({
    Label: name,
    ProgramArguments: [...definition.program, "serve", ...buildServeArgs(definition), "--data-dir", definition.dataDir],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 5,
    ExitTimeOut: 30,
    ProcessType: "Background",
    Umask: privateUmask,
    StandardOutPath: logFile,
    StandardErrorPath: logFile,
  });

function buildBackupPlist(name: string, { program, dataDir, backup }: ServiceDefinition, logFile: string): string {
  if (backup === undefined) throw new Error("no backup is defined");
  return formatPlist({
    Label: name,
    ProgramArguments: [...program, ...buildBackupArgs(backup, backup.passphraseFile), "--data-dir", dataDir],
    // launchd catches up after sleep.
    StartCalendarInterval: { Hour: 3, Minute: 20 },
    LowPriorityIO: true,
    ProcessType: "Background",
    Umask: privateUmask,
    StandardOutPath: logFile,
    StandardErrorPath: logFile,
  });
}
