import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readDockerfile, readWords } from "@pdpp/test-support/package/dockerfile";
import { repository } from "@pdpp/test-support/repository/requirements";
import { describe, expect, it } from "vitest";
import * as yaml from "yaml";

const folder = join(repository, "containers");
const instructions = readDockerfile(join(folder, "Dockerfile"));
const find = (name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ text }) => text);

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}
const readCompose = (name: string): Compose => yaml.parse(readFileSync(join(folder, name), "utf8")) as Compose;
const files = ["compose.yaml", "compose.postgres.yaml", "compose.caddy.yaml"];

describe("the Dockerfile", () => {
  it("[PKG-12] keeps the main rules of hadolint", () => {
    const known = [
      "FROM",
      "WORKDIR",
      "COPY",
      "RUN",
      "LABEL",
      "ENV",
      "USER",
      "VOLUME",
      "EXPOSE",
      "HEALTHCHECK",
      "ENTRYPOINT",
      "CMD",
    ];
    for (const { name } of instructions) expect(known).toContain(name);
    // DL3006, DL3007: a tag, and not the moving one.
    for (const image of find("FROM")) expect(image).toMatch(/^[\w./-]+:(?!latest)[\w.-]+( AS \w+)?$/);
    // DL3002, DL3025, DL4003, DL3012: not root, words instead of a shell, and one of each.
    expect(find("USER")).toEqual(["65532:65532"]);
    for (const name of ["CMD", "ENTRYPOINT", "VOLUME"]) expect(find(name)).toEqual([expect.stringMatching(/^\[.*\]$/)]);
    expect(find("HEALTHCHECK")).toHaveLength(1);
    // DL3000, DL4006, DL3004, DL3008, DL3016: absolute folders, no pipes, no sudo, and nothing is downloaded.
    for (const path of find("WORKDIR")) expect(path).toMatch(/^\//);
    for (const script of find("RUN")) expect(script).not.toMatch(/\||sudo|apt|npm|curl|wget|http/);
  });

  it("[PKG-12] is small and has little to attack: the last stage has no shell, and only /data is writable", () => {
    const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
    expect(last[0]?.text).toContain("distroless");
    expect(last.some(({ name }) => name === "RUN")).toBe(false);
    expect(find("ENV")).toEqual([expect.stringContaining("PDPP_DATA_DIR=/data")]);
    expect(find("COPY").filter((text) => text.includes("--chown"))).toEqual([expect.stringMatching(/ \/data$/)]);
    expect(readWords(instructions, "HEALTHCHECK").join(" ")).toContain("/readyz");
  });
});

describe("the compose files", () => {
  it.each(files)("[PKG-12] %s restarts, pins images, and hides secrets in .env", (name) => {
    const { services, volumes = {} } = readCompose(name);
    for (const [title, { image, environment = {}, ports = [], volumes: mounts = [] }] of Object.entries(services)) {
      if (image !== undefined) expect(image, title).toMatch(/:(?!latest)[\w.-]+$/);
      for (const [key, value] of Object.entries(environment))
        if (key.includes("PASSWORD")) expect(value).toMatch(/^\$\{\w+:\?/);
      for (const port of ports) expect(port).toMatch(title === "caddy" ? /^(80|443):/ : /^127\.0\.0\.1:/);
      for (const mount of mounts) {
        const [source = ""] = mount.split(":");
        if (source.startsWith("./")) expect(existsSync(join(folder, source)), source).toBe(true);
        else expect(Object.keys(volumes)).toContain(source);
      }
    }
  });

  it("[PKG-12] run pdpp with a read-only root and without rights, and name services that exist", () => {
    const { pdpp } = readCompose("compose.yaml").services;
    expect(pdpp).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      volumes: ["vault:/data"],
    });
    expect(existsSync(join(folder, pdpp!.build!.context, pdpp!.build!.dockerfile))).toBe(true);
    const all = new Set(files.flatMap((name) => Object.keys(readCompose(name).services)));
    for (const { depends_on = {} } of files.flatMap((name) => Object.values(readCompose(name).services)))
      for (const name of Object.keys(depends_on)) expect(all).toContain(name);
    expect(readFileSync(join(folder, "Caddyfile"), "utf8")).toContain("reverse_proxy pdpp:7663");
  });
});
