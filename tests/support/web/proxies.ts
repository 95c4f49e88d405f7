import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { readPage } from "../repository/documents.ts";
import { repository } from "../repository/requirements.ts";

/** Debian's proxies with the configurations of our documentation. */

interface ProxyPlace {
  /** An empty folder for the proxy's files. */
  readonly folder: string;
  readonly port: number;
  readonly backendPort: number;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Proxy {
  readonly name: string;
  readonly program: string;
  start(place: ProxyPlace): Promise<{ stop(): Promise<void> }>;
}

/** Debian puts servers where only root looks. */
const path = `${process.env.PATH}:/usr/sbin`;
const documentedName = "vault.example.org";
const documentedBackend = "127.0.0.1:7663";

function readBlock(language: string): string {
  const page = readPage("operations.md");
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]+?)^\`\`\``, "m").exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/operations.md has no ${language} block`);
  return block;
}

/** Fails if the text is not there, so that a test never runs a configuration with documented values. */
function replaceOnce(text: string, from: string | RegExp, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${String(from)} occurs ${parts.length - 1} times`);
  return parts.join(to);
}

/** For tests: another port, our certificate instead of one from the internet, and no files outside of the folder. */
function adaptCaddyfile(text: string, name: string, backend: string, place: ProxyPlace): string {
  const site = replaceOnce(
    text,
    `${name} {`,
    `https://localhost:${place.port} {\n\ttls ${place.certFile} ${place.keyFile}`,
  );
  const options = `{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system ${place.folder}/storage\n}\n`;
  return options + replaceOnce(site, backend, `127.0.0.1:${place.backendPort}`);
}

function adaptNginx(text: string, place: ProxyPlace): string {
  const { folder, port, backendPort, certFile, keyFile } = place;
  const changes: [string | RegExp, string][] = [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    [`server_name ${documentedName};`, "server_name localhost;"],
    [/ssl_certificate \S+;/, `ssl_certificate ${certFile};`],
    [/ssl_certificate_key \S+;/, `ssl_certificate_key ${keyFile};`],
    [documentedBackend, `127.0.0.1:${backendPort}`],
  ];
  const site = changes.reduce((changed, [from, to]) => replaceOnce(changed, from, to), text);
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const main = `${user}\npid ${folder}/nginx.pid;\ndaemon off;\nevents {}\n`;
  return `${main}http {\naccess_log ${folder}/access.log;\n${folders.join("\n")}\n${site}\n}\n`;
}

async function startProgram(
  program: string,
  args: readonly string[],
  { folder, port }: ProxyPlace,
): Promise<{ stop(): Promise<void> }> {
  const env = { ...process.env, PATH: path, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${output}`);
    await wait(50);
  }
  return { stop: () => stopProgram(child) };
}

async function stopProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function startCaddy(text: string, name: string, backend: string, place: ProxyPlace) {
  const file = join(place.folder, "Caddyfile");
  writeFileSync(file, adaptCaddyfile(text, name, backend, place));
  return startProgram("caddy", ["run", "--config", file, "--adapter", "caddyfile"], place);
}

export const proxies: readonly Proxy[] = [
  {
    name: "Caddy as in docs/operations.md",
    program: "caddy",
    start: (place) => startCaddy(readBlock("caddyfile"), documentedName, documentedBackend, place),
  },
  {
    name: "Caddy as in containers/Caddyfile",
    program: "caddy",
    start: (place) =>
      startCaddy(readFileSync(join(repository, "containers/Caddyfile"), "utf8"), "{$PDPP_DOMAIN}", "pdpp:7663", place),
  },
  {
    name: "nginx as in docs/operations.md",
    program: "nginx",
    start(place) {
      const file = join(place.folder, "nginx.conf");
      mkdirSync(place.folder, { recursive: true });
      writeFileSync(file, adaptNginx(readBlock("nginx"), place));
      return startProgram("nginx", ["-c", file, "-p", place.folder, "-e", join(place.folder, "error.log")], place);
    },
  },
];

export const isInstalled = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], {
    env: { ...process.env, PATH: path },
  }).status === 0;
