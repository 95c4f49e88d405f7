import { win32 } from "node:path";
import { commandName } from "@pdpp/agent-setup/command-name";
import { UsageError } from "../runtime/failure.ts";
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

/** Runs pdpp as a task of the user on Windows, from sign-in on. */
export function createTaskScheduler({ home, env }: ServicePlace): ServiceManager {
  const folder = win32.join(env.LOCALAPPDATA || win32.join(home, "AppData", "Local"), "pdpp", "service");
  const createUnit = (name: string): ServiceUnit => ({
    name,
    paths: [win32.join(folder, `${name}.xml`)],
    status: { command: "schtasks", args: ["/Query", "/TN", name, "/FO", "CSV", "/NH"] },
    isActive: ({ code, stdout }) => code === 0 && (name !== "pdpp" || /"Running"\s*$/.test(stdout)),
  });
  const server = createUnit("pdpp");
  const backup = createUnit("pdpp-backup");

  return {
    title: "Task Scheduler",
    server,
    backup,
    sharedPaths: [],
    buildFiles(definition) {
      rejectDatabase(definition);
      const { backup: daily } = definition;
      return [
        ...server.paths.map((path) =>
          createTask(path, formatTask(definition, ["serve", ...buildServeArgs(definition)], logonTrigger, "PT0S")),
        ),
        ...(daily === undefined
          ? []
          : backup.paths.map((path) =>
              createTask(
                path,
                formatTask(definition, buildBackupArgs(daily, daily.passphraseFile), dailyTrigger, "PT6H"),
              ),
            )),
      ];
    },
    start: (units) =>
      units.flatMap(({ name, paths }) => [
        ...paths.map((path) => ({ command: "schtasks", args: ["/Create", "/F", "/TN", name, "/XML", path] })),
        ...(name === server.name ? [{ command: "schtasks", args: ["/Run", "/TN", name] }] : []),
      ]),
    stop: (units) =>
      units.flatMap(({ name }) => [
        { command: "schtasks", args: ["/End", "/TN", name], mayFail: true },
        { command: "schtasks", args: ["/Delete", "/F", "/TN", name], mayFail: true },
      ]),
    forget: [],
    showLogs() {
      throw new UsageError(
        `Task Scheduler keeps no output; stop the task (schtasks /End /TN pdpp) and run ${commandName} serve in a terminal`,
      );
    },
    notes: ["It runs while you are signed in to Windows."],
  };
}

/** schtasks reads UTF-16 only. */
const createTask = (path: string, content: string): ServiceFile => ({
  path,
  content: `\uFEFF${content}`,
  encoding: "utf16le",
  mode: 0o644,
});

const logonTrigger = "<LogonTrigger><Enabled>true</Enabled></LogonTrigger>";
const dailyTrigger =
  "<CalendarTrigger><StartBoundary>2026-01-01T03:20:00</StartBoundary><ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay></CalendarTrigger>";

function formatTask(
  { program, dataDir }: ServiceDefinition,
  args: readonly string[],
  trigger: string,
  timeLimit: string,
): string {
  const [command, ...first] = program;
  const words = [...first, ...args, "--data-dir", dataDir].map(quoteArgument).join(" ");
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo><Description>${marker}</Description></RegistrationInfo>
  <Triggers>${trigger}</Triggers>
  <Principals><Principal id="Author"><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal></Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>${timeLimit}</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>10</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author"><Exec><Command>${escapeXml(command)}</Command><Arguments>${escapeXml(words)}</Arguments></Exec></Actions>
</Task>
`;
}

/** Programs split their arguments by the rules of CommandLineToArgvW. */
function quoteArgument(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
