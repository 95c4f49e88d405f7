import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { ServiceDefinition } from "./definition.ts";
import { getServiceManager } from "./manager.ts";

const definition: ServiceDefinition = {
  program: ["/usr/local/bin/node", "/opt/a & b/pdpp.mjs"],
  dataDir: "/Users/me/my <vault>",
  serveArgs: ["--port", "7663"],
  backup: { folder: "/Volumes/Disk/backups", keep: 7 },
};
const mac = getServiceManager({ platform: "darwin", home: "/Users/me", env: {}, uid: 501, isSystem: false });
const windows = getServiceManager({
  platform: "win32",
  home: "C:\\Users\\me",
  env: { LOCALAPPDATA: "D:\\Local" },
  uid: 0,
  isSystem: false,
});

const python = spawnSync("python3", ["-c", "import plistlib"]).status === 0;

describe.skipIf(!python)("files read by another program (needs python3)", () => {
  const read = (script: string, input: string | Buffer): unknown =>
    JSON.parse(
      execFileSync("python3", ["-c", `import sys, json, plistlib, xml.etree.ElementTree as xml\n${script}`], {
        input,
      }).toString(),
    );

  it("[OPS-1] launchd's files are property lists with every word as it is", () => {
    const [server, backup] = mac
      .buildFiles(definition)
      .map(({ content }) => read("print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))", content));
    expect(server).toMatchObject({
      Label: "org.pdpp.server",
      ProgramArguments: [...definition.program, "serve", "--port", "7663", "--data-dir", "/Users/me/my <vault>"],
      KeepAlive: { SuccessfulExit: false },
      RunAtLoad: true,
      Umask: 63,
    });
    expect(backup).toMatchObject({
      ProgramArguments: [
        ...definition.program,
        "backup",
        "/Volumes/Disk/backups",
        "--keep",
        "7",
        "--data-dir",
        "/Users/me/my <vault>",
      ],
      StartCalendarInterval: { Hour: 3, Minute: 20 },
    });
  });

  it("[OPS-1] Task Scheduler's files are XML in UTF-16, with arguments that Windows splits as meant", () => {
    const [server] = windows.buildFiles({
      ...definition,
      program: ["C:\\Program Files\\node.exe", "C:\\pdpp\\pdpp.mjs"],
      dataDir: "D:\\my vault\\",
    });
    const script =
      'name = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"\nroot = xml.fromstring(sys.stdin.buffer.read())\nprint(json.dumps([root.find(f".//{name}{each}").text for each in ["Command", "Arguments", "ExecutionTimeLimit"]]))';
    expect(read(script, Buffer.from(server!.content, server!.encoding))).toEqual([
      "C:\\Program Files\\node.exe",
      'C:\\pdpp\\pdpp.mjs serve --port 7663 --data-dir "D:\\my vault\\\\"',
      "PT0S",
    ]);
  });
});

it("[OPS-1] names the files and commands of each system", () => {
  expect(mac.buildFiles(definition).map(({ path }) => path)).toEqual([
    "/Users/me/Library/LaunchAgents/org.pdpp.server.plist",
    "/Users/me/Library/LaunchAgents/org.pdpp.backup.plist",
  ]);
  expect(mac.start([mac.server]).map(({ args }) => args[0])).toEqual(["bootout", "bootstrap"]);
  expect(windows.buildFiles(definition).map(({ path }) => path)).toEqual([
    "D:\\Local\\pdpp\\service\\pdpp.xml",
    "D:\\Local\\pdpp\\service\\pdpp-backup.xml",
  ]);
  expect(windows.start([windows.server]).map(({ args }) => args.slice(0, 2))).toEqual([
    ["/Create", "/F"],
    ["/Run", "/TN"],
  ]);
});

it("[OPS-2] refuses to write the password of a database where there is no safe place for it", () => {
  for (const manager of [mac, windows])
    expect(() => manager.buildFiles({ ...definition, databaseUrl: "postgres://a:b@c/d" })).toThrow(/password/);
  expect(() => getServiceManager({ platform: "aix", home: "/", env: {}, uid: 0, isSystem: false })).toThrow(/aix/);
});
