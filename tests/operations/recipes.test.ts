import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnvironment, pdppFile } from "@pdpp/test-support/cli/run-pdpp";
import { type BashResult, readPage, runBash } from "@pdpp/test-support/repository/documents";
import { createAuthority, hasOpenssl } from "@pdpp/test-support/web/certificates";
import { isInstalled } from "@pdpp/test-support/web/proxies";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";

/** Runs the recipes of docs/operations/recipes.md, each in a home of its own. systemd is a stand-in, which needs to be the first process of a machine. */

const page = readPage("operations/recipes.md");
const root = mkdtempSync(join(tmpdir(), "pdpp-recipes-"));
const bin = join(root, "bin");
const calls = join(root, "calls");
beforeAll(() => {
  mkdirSync(bin);
  const programs = {
    pdpp: `exec "${process.execPath}" "${pdppFile}" "$@"`,
    ...Object.fromEntries(
      ["systemctl", "journalctl", "loginctl"].map((name) => [name, `echo "${name} $*" >> "${calls}"; echo active`]),
    ),
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function readBlock(info: string): string {
  const block = new RegExp(`^\`\`\`${info}\\n([\\s\\S]+?)^\`\`\``, "m").exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/operations/recipes.md has no block ${info}`);
  return block;
}

const createHome = (name: string): string => {
  const home = join(root, name);
  mkdirSync(home);
  return home;
};

async function run(home: string, script: string): Promise<string> {
  const env = cleanEnvironment({
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: "",
    PATH: `${bin}:${process.env.PATH}:/usr/sbin`,
  });
  const ran: BashResult = await runBash(script, env, home);
  expect(ran.code, `${script}\n${ran.stdout}\n${ran.stderr}`).toBe(0);
  return ran.stdout;
}

function writeNotes(home: string): void {
  const folder = join(home, "Downloads/notes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "gutter.md"), "# Gutter\n\nCall Callum about the gutter.\n");
}

async function pickPort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

const hasAnalyzer = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** What systemd says about units, which is nothing if they are right. */
function verifyUnits(files: readonly string[], scope: readonly string[] = ["--user"]): string {
  if (!hasAnalyzer) return "";
  const env = { ...process.env, XDG_RUNTIME_DIR: root };
  const { stdout, stderr } = spawnSync("systemd-analyze", [...scope, "verify", ...files], { encoding: "utf8", env });
  return stdout + stderr;
}

const units = (home: string): string => join(home, ".config/systemd/user");

/** Grants an agent the notes, and returns the grant's id. */
async function grantNotes(home: string, client: string): Promise<string> {
  const made = await run(
    home,
    `pdpp grant create --json --client "${client}" --connection note-folders --stream notes`,
  );
  return (JSON.parse(made) as { grants: [{ grant_id: string }] }).grants[0].grant_id;
}

it("[OPS-20] laptop: imports, and runs as a service with daily backups", async () => {
  const home = createHome("laptop");
  writeNotes(home);
  const said = await run(home, readBlock("sh laptop"));
  expect(said).toMatch(/running[\s\S]*daily/);
  expect(await run(home, "pdpp export")).toContain("Call Callum");
  const names = readdirSync(units(home)).filter((name) => /\.(service|timer)$/.test(name));
  expect(names.sort()).toEqual(["pdpp-backup.service", "pdpp-backup.timer", "pdpp.service"]);
  expect(verifyUnits(names.map((name) => join(units(home), name)))).toBe("");
});

it("[OPS-20] home server: is served with the certificate and without a person signed in (needs openssl)", async (context) => {
  if (!hasOpenssl) return context.skip("openssl is not installed");
  const home = createHome("home-server");
  const folder = join(home, "tls");
  mkdirSync(folder);
  const { certFile, keyFile } = createAuthority(folder).issue("vault", ["DNS:vault.home.arpa"]);
  cpSync(certFile, join(folder, "fullchain.pem"));
  cpSync(keyFile, join(folder, "privkey.pem"));
  await run(home, readBlock("sh home-server"));
  const unit = readFileSync(join(units(home), "pdpp.service"), "utf8");
  expect(unit).toContain(
    `serve --port 7663 --host 0.0.0.0 --tls-cert ${folder}/fullchain.pem --tls-key ${folder}/privkey.pem`,
  );
  expect(readFileSync(calls, "utf8")).toContain("loginctl enable-linger");
});

it("[OPS-20] VPS: the system's units have no fault (as root)", async (context) => {
  if (process.getuid?.() !== 0 || /^\/(home|root)\//.test(process.execPath))
    return context.skip("needs root, and Node outside of homes");
  const home = createHome("vps");
  const printed = JSON.parse(await run(home, readBlock("sh vps").trim().concat(" --print --json")));
  const files = (printed.files as { path: string; content: string }[]).map(({ path, content }) => {
    const file = join(home, path.split("/").at(-1)!);
    writeFileSync(file, content);
    return file;
  });
  expect(files).toHaveLength(3);
  expect(readFileSync(files[0]!, "utf8")).toContain("--public-url https://vault.example.org");
  expect(verifyUnits(files, [])).toBe("");
});

it("[OPS-20] Raspberry Pi: the service has longer time limits", async () => {
  const home = createHome("raspberry-pi");
  await run(home, readBlock("sh raspberry-pi"));
  const unit = join(units(home), "pdpp.service");
  expect(readFileSync(unit, "utf8")).toContain(`--data-dir ${home}/usb/vault`);
  expect(readFileSync(`${unit}.d/slow.conf`, "utf8")).toBe("[Service]\nEnvironment=PDPP_TIME_LIMIT_FACTOR=3\n");
  expect(verifyUnits([unit])).toBe("");
});

it("[OPS-20] moving: the new machine has the records, grants and log of the old one", async () => {
  const old = createHome("old-machine");
  writeNotes(old);
  await run(old, readBlock("sh laptop"));
  const grant = await grantNotes(old, "an agent");
  await run(old, readBlock("sh old-machine"));
  expect(existsSync(join(units(old), "pdpp.service"))).toBe(false);
  const fresh = createHome("new-machine");
  for (const name of ["move.pdpp", "revoked.ndjson"]) cpSync(join(old, name), join(fresh, name));
  await run(fresh, readBlock("sh new-machine"));
  expect(await run(fresh, "pdpp export")).toBe(await run(old, "pdpp export"));
  expect(await run(fresh, "pdpp grant list --json")).toContain(grant);
  expect(existsSync(join(units(fresh), "pdpp.service"))).toBe(true);
});

it("[OPS-20] a dead disk: the newest backup is restored, and a grant revoked since then is valid again, as documented", async () => {
  const home = createHome("dead-disk");
  writeNotes(home);
  await run(home, readBlock("sh laptop"));
  const grant = await grantNotes(home, "an agent");
  // What the timer runs every day.
  await run(home, "pdpp backup ~/backups --keep 7");
  const before = await run(home, "pdpp export");
  await run(home, `pdpp grant revoke ${grant}`);
  rmSync(join(home, ".pdpp"), { recursive: true });
  const listed = await run(home, readBlock("sh new-disk"));
  expect(listed).toContain(grant);
  expect(await run(home, "pdpp export")).toBe(before);
  await run(home, `pdpp grant revoke ${grant}`);
});

it("[OPS-20] PostgreSQL with several servers: nginx asks the other one when one has gone (needs nginx)", async (context) => {
  if (!isInstalled("nginx")) return context.skip("nginx is not installed");
  const home = createHome("postgres");
  const database = `pdpp_${randomBytes(6).toString("hex")}`;
  const onServer = async (sql: string): Promise<void> => {
    const client = new pg.Client(`${inject("postgresUrl")}/postgres`);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  const [first, second, front] = [await pickPort(), await pickPort(), await pickPort()];
  const usePorts = (text: string): string => text.replaceAll("7663", String(first)).replaceAll("7664", String(second));
  const site = `server { listen 127.0.0.1:${front}; access_log off; location / { proxy_pass http://pdpp; proxy_set_header Host $http_host; } }`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${home}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  writeFileSync(
    join(home, "nginx.conf"),
    `${user} pid ${home}/nginx.pid; events {}\nhttp { ${temporary.join(" ")}\n${usePorts(readBlock("nginx upstream"))}\n${site} }\n`,
  );
  const ask = `curl --silent --output /dev/null --write-out '%{http_code} ' --header 'Host: vault.example.org' http://127.0.0.1:${front}`;
  await onServer(`CREATE DATABASE ${database}`);
  try {
    const servers = usePorts(readBlock("sh postgres")).replace(
      /postgres:\/\/[^"]+/,
      `${inject("postgresUrl")}/${database}`,
    );
    const said = await run(
      home,
      [
        `trap 'kill $(jobs -p) $(cat nginx.pid) 2>/dev/null; wait' EXIT`,
        servers.replaceAll(/ &$/gm, " > /dev/null &"),
        `for port in ${first} ${second}; do until curl --silent --fail --output /dev/null http://127.0.0.1:$port/readyz; do kill -0 $(jobs -p); sleep 0.2; done; done`,
        `nginx -c ${home}/nginx.conf -p ${home} -e ${home}/error.log`,
        `for n in 1 2 3 4; do ${ask}/readyz; done; ${ask}/v1/streams`,
        "kill %1; wait %1 || true",
        `for n in 1 2 3 4; do ${ask}/readyz; done; ${ask}/v1/streams`,
      ].join("\n"),
    );
    expect(said.trim().split(" ")).toEqual(["200", "200", "200", "200", "401", "200", "200", "200", "200", "401"]);
  } finally {
    await onServer(`DROP DATABASE ${database} WITH (FORCE)`);
  }
});
