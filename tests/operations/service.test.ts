import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pdppFile, type RunResult, runPdpp } from "@pdpp/test-support/cli/run-pdpp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceDefinition } from "../../packages/cli/src/service/definition.ts";
import { getServiceManager } from "../../packages/cli/src/service/manager.ts";

interface PrintedFile {
  readonly path: string;
  readonly content: string;
}

interface PrintedPlan {
  readonly files: readonly PrintedFile[];
  readonly commands: readonly string[];
}

let root: string;
let home: string;
let bin: string;
let calls: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "pdpp-service-"));
  [home, bin, calls] = [join(root, "home"), join(root, "bin"), join(root, "calls")];
  mkdirSync(home);
  mkdirSync(bin);
  // Stands in for systemd, which needs to be the first process of a machine.
  for (const name of ["systemctl", "journalctl"]) {
    const script = `#!/bin/sh\necho "${name} $*" >> "${calls}"\n[ -e "${root}/fail" ] && { echo "no bus" >&2; exit 1; }\necho active\n`;
    writeFileSync(join(bin, name), script);
    chmodSync(join(bin, name), 0o755);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const service = (args: readonly string[], env: Record<string, string> = {}): Promise<RunResult> =>
  runPdpp(["service", ...args], {
    env: { HOME: home, XDG_CONFIG_HOME: "", PATH: `${bin}:${process.env.PATH}`, ...env },
  });
const takeCalls = (): string[] => {
  const made = existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : [];
  rmSync(calls, { force: true });
  return made;
};
const units = (): string => join(home, ".config/systemd/user");

async function print(args: readonly string[], env?: Record<string, string>): Promise<PrintedPlan> {
  const ran = await service(["install", "--print", "--json", ...args], env);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
  return JSON.parse(ran.stdout) as PrintedPlan;
}

const backupOptions = ["--backup-to", "/mnt/my backups/100%", "--keep", "3", "--passphrase-file", "/etc/pass$phrase"];

describe("pdpp service", () => {
  it("[OPS-1] prints what it would do and does nothing", async () => {
    const text = await service(["install", "--print", "--backup-to", "/mnt/backups"]);
    expect(text.stdout).toContain(`# ${units()}/pdpp.service\n# Written by pdpp service install.`);
    expect(text.stdout).toContain("systemctl --user enable pdpp.service pdpp-backup.timer\n");
    expect(text.stderr).toContain("Nothing was changed.");
    expect([existsSync(join(home, ".config")), takeCalls()]).toEqual([false, []]);
  });

  it("[OPS-1] installs, reports, shows logs, updates and removes", async () => {
    expect(await service(["status"])).toMatchObject({ code: 1, stdout: expect.stringContaining("not installed") });
    const installed = await service(["install", "--port", "7777", ...backupOptions]);
    expect(installed, installed.stderr).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("loginctl enable-linger"),
    });
    expect(takeCalls()).toEqual([
      "systemctl --user daemon-reload",
      "systemctl --user enable pdpp.service pdpp-backup.timer",
      "systemctl --user restart pdpp.service pdpp-backup.timer",
    ]);
    const server = readFileSync(join(units(), "pdpp.service"), "utf8");
    expect(server).toContain(`ExecStart=${process.execPath} ${pdppFile} serve --port 7777 --data-dir ${home}/.pdpp\n`);
    const backup = readFileSync(join(units(), "pdpp-backup.service"), "utf8");
    expect(backup).toContain(
      'backup "/mnt/my backups/100%%" --keep 3 --passphrase-file "/etc/pass$$phrase" --data-dir',
    );

    expect(await service(["status"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/running[\s\S]*daily/) });
    takeCalls();
    expect(await service(["logs", "--lines", "5", "--follow"])).toMatchObject({ code: 0, stdout: "active\n" });
    expect(takeCalls()).toEqual([
      "journalctl --user --unit=pdpp.service --unit=pdpp-backup.service --lines=5 --no-pager --follow",
    ]);

    expect(await service(["install"])).toMatchObject({ code: 0, stderr: expect.stringContaining("no daily backups") });
    expect(takeCalls()[0]).toBe("systemctl --user disable --now pdpp-backup.timer");
    expect(existsSync(join(units(), "pdpp-backup.timer"))).toBe(false);

    const removed = await service(["remove", "--json"]);
    expect(JSON.parse(removed.stdout)).toMatchObject({ status: "removed", files: [join(units(), "pdpp.service")] });
    expect(takeCalls()).toEqual(["systemctl --user disable --now pdpp.service", "systemctl --user daemon-reload"]);
    expect(await service(["remove"])).toMatchObject({ code: 0, stdout: "not installed\n" });
    expect(takeCalls()).toEqual([]);
  });

  it("[OPS-1] leaves a unit that the owner wrote", async () => {
    mkdirSync(units(), { recursive: true });
    const path = join(units(), "pdpp.service");
    writeFileSync(path, "[Service]\nExecStart=/opt/mine\n");
    for (const command of ["install", "remove"])
      expect(await service([command])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${path} was not written`),
      });
    expect([readFileSync(path, "utf8"), takeCalls()]).toEqual(["[Service]\nExecStart=/opt/mine\n", []]);
    rmSync(path);
  });

  it("[OPS-1] says what failed and how to go on by hand", async () => {
    writeFileSync(join(root, "fail"), "");
    const failed = await service(["install", ...backupOptions], {
      PDPP_DATABASE_URL: "postgres://db.example.org/vault",
    });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringMatching(/daemon-reload failed: no bus\n.*--print/) });
    // What cannot be started cannot be stopped either, so nothing may be left that needs it.
    expect([readdirSync(units()), existsSync(join(home, ".config/pdpp/environment"))]).toEqual([[], false]);
    expect(await service(["status"])).toMatchObject({ stdout: expect.stringContaining("not installed") });
    rmSync(join(root, "fail"));
    await service(["install"]);
    writeFileSync(join(root, "fail"), "");
    expect((await service(["install"])).code).toBe(1);
    expect(existsSync(join(units(), "pdpp.service"))).toBe(true);
    const kept = await service(["remove"]);
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringMatching(/then delete .*pdpp\.service/) });
    rmSync(join(root, "fail"));
    await service(["remove"]);
    takeCalls();
    const empty = await service(["install"], { PATH: "/nowhere" });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringMatching(/systemctl was not found/) });
    rmSync(units(), { recursive: true });
  });

  it("[OPS-2] keeps a database's password out of units, arguments and output", async () => {
    const address = 'postgres://me:se"cr$et@db.example.org/vault';
    const env = { PDPP_DATABASE_URL: address };
    const printed = await service(["install", "--print"], env);
    expect(printed.stdout).toContain("PDPP_DATABASE_URL=(secret)");
    const installed = await service(["install", "--backup-to", "/mnt/backups"], env);
    expect(installed, installed.stderr).toMatchObject({ code: 0 });
    const file = join(home, ".config/pdpp/environment");
    expect(readFileSync(file, "utf8")).toContain('PDPP_DATABASE_URL="postgres://me:se\\"cr\\$et@db.example.org/vault"');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const shown = [printed.stdout, installed.stdout, installed.stderr, ...takeCalls()];
    for (const name of ["pdpp.service", "pdpp-backup.service", "pdpp-backup.timer"])
      shown.push(readFileSync(join(units(), name), "utf8"));
    expect(shown.join("\n")).not.toContain("cr$et");
    expect(shown.join("\n")).toContain(`EnvironmentFile=${file}`);
    await service(["remove"]);
    expect(existsSync(file)).toBe(false);
  });

  it("[OPS-2] lets no value add a setting to a unit", async () => {
    const smuggled = "https://a.example\nExecStartPre=/bin/evil";
    expect(await service(["install", "--print", "--public-url", smuggled])).toMatchObject({ code: 64, stdout: "" });
    expect(await service(["install", "--print", "--backup-to", `/b\n${smuggled}`])).toMatchObject({ code: 64 });
  });

  it("[OPS-2] [OPS-8] passes the certificate on, and to a system service by systemd", async () => {
    const { files } = await print(["--tls-cert", "my certs/cert.pem", "--tls-key", "/etc/key.pem"]);
    expect(files[0]?.content).toContain(`--tls-cert "${process.cwd()}/my certs/cert.pem" --tls-key /etc/key.pem `);
    expect(await service(["install", "--print", "--tls-cert", "cert.pem"])).toMatchObject({ code: 64 });
    const [unit] = buildSystemUnits(systemService);
    expect(unit?.content).toContain("--tls-cert %d/tls-cert --tls-key %d/tls-key\n");
    expect(unit?.content).toContain("LoadCredential=tls-key:/etc/letsencrypt/live/vault/privkey.pem\n");
  });

  it("[OPS-2] refuses a system service that could not work", async () => {
    expect(await service(["install", "--system", "--print", "--data-dir", "/srv/vault"])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("keeps its vault in /var/lib/pdpp"),
    });
    expect(() => buildSystemUnits({ ...systemService, program: ["/home/me/node", "/opt/pdpp.mjs"] })).toThrow(
      "cannot read /home/me/node",
    );
    expect(() => buildSystemUnits({ ...systemService, backup: { folder: "/mnt/backups", keep: 7 } })).toThrow(
      "/var/lib/pdpp-backups",
    );
  });
});

/** A program that every machine has, outside of home folders. */
const systemService: ServiceDefinition = {
  program: ["/bin/sh", "/opt/pdpp/pdpp.mjs"],
  dataDir: "/var/lib/pdpp",
  databaseUrl: "postgres://db.example.org/vault",
  serveArgs: ["--public-url", "https://vault.example.org"],
  tls: { certFile: "/etc/letsencrypt/live/vault/fullchain.pem", keyFile: "/etc/letsencrypt/live/vault/privkey.pem" },
  backup: { folder: "/var/lib/pdpp-backups", keep: 7, passphraseFile: "/etc/passphrase" },
};
const buildSystemUnits = (definition: ServiceDefinition): readonly PrintedFile[] =>
  getServiceManager({ platform: "linux", home: "/root", env: {}, uid: 0, isSystem: true }).buildFiles(definition);

const hasAnalyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe.skipIf(!hasAnalyzer)("systemd's own judgement (needs systemd-analyze)", () => {
  const analyze = (args: readonly string[]) =>
    spawnSync("systemd-analyze", args, { encoding: "utf8", env: { ...process.env, XDG_RUNTIME_DIR: root } });
  const writeUnits = (name: string, files: readonly PrintedFile[]): string[] => {
    const folder = join(root, name);
    mkdirSync(folder);
    return files
      .filter(({ path }) => /\.(service|timer)$/.test(path))
      .map(({ path, content }) => {
        const file = join(folder, basename(path));
        writeFileSync(file, content);
        return file;
      });
  };
  // It ends with 0 after ignoring a misspelt value, and says so on stderr.
  const verify = (scope: readonly string[], files: readonly string[]) => {
    const { status, stdout, stderr } = analyze([...scope, "verify", ...files]);
    return [status, stdout + stderr];
  };

  it("[OPS-2] the user's units have no fault", async () => {
    const env = { PDPP_DATABASE_URL: "postgres://db.example.org/vault" };
    const { files } = await print(["--public-url", "https://vault.example.org", ...backupOptions], env);
    const written = writeUnits("user", files);
    expect([written.length, ...verify(["--user"], written)]).toEqual([3, 0, ""]);
  });

  it("[OPS-2] the system's units have no fault and are exposed little", () => {
    const written = writeUnits("system", buildSystemUnits(systemService));
    expect([written.length, ...verify([], written)]).toEqual([3, 0, ""]);
    const { stdout } = analyze(["security", "--offline=yes", "--no-pager", written[0]!]);
    const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeLessThan(2);
  });

  it("[OPS-2] the system's service keeps the key of its sources' credentials outside of the vault", () => {
    const [server] = buildSystemUnits(systemService);
    expect(server?.content).toContain("PDPP_KEY_DIR=/var/lib/pdpp-keys\n");
    expect(server?.content).toContain("StateDirectory=pdpp pdpp-keys\n");
  });

  it("[OPS-2] a misspelt value would be noticed", () => {
    const file = join(root, "broken.service");
    writeFileSync(file, `[Service]\nExecStart=${process.execPath}\nProtectSystem=stict\n`);
    expect(analyze(["verify", file]).stderr).toContain("Failed to parse");
  });
});
