import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDockerfile, readDockerfile, readWords } from "@pdpp/test-support/package/dockerfile";
import { findBrokenRules } from "@pdpp/test-support/package/dockerfile-rules";
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
  it("[PKG-12] keeps hadolint's rules", () => {
    expect(findBrokenRules(instructions)).toEqual([]);
    const known = /^(FROM|ADD|COPY|RUN|LABEL|ENV|USER|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/;
    for (const { name } of instructions) expect(name).toMatch(known);
    for (const script of find("RUN")) expect(script).not.toMatch(/curl|wget|http/);
  });

  const good = readFileSync(join(folder, "Dockerfile"), "utf8");
  it.each([
    ["DL3000", "RUN mkdir", "WORKDIR build\nRUN mkdir"],
    ["DL3001", "RUN mkdir /out/data", "RUN mkdir /out/data && ps"],
    ["DL3002", "USER 65532:65532", "USER 0"],
    ["DL3003", "RUN mkdir /out/data", "RUN cd /out && mkdir data"],
    ["DL3004", "RUN mkdir", "RUN sudo mkdir"],
    ["DL3006", "node:24-bookworm-slim AS", "node AS"],
    ["DL3007", "24-bookworm-slim", "latest"],
    ["DL3008", "RUN mkdir /out/data", "RUN mkdir /out/data && npm install x"],
    ["DL3010", "ADD dist/pdpp-*.tgz /out/", "COPY dist/pdpp-*.tgz /out/\nRUN tar -xzf /out/pdpp.tgz"],
    ["DL3011", "EXPOSE 7663", "EXPOSE 76630"],
    ["DL3012", "HEALTHCHECK", 'HEALTHCHECK CMD ["/x"]\nHEALTHCHECK'],
    ["DL3020", "ADD dist/pdpp-*.tgz", "ADD dist"],
    ["DL3021", "COPY --from=build /out/package /app", "COPY --from=build /out/package /out/other /app"],
    ["DL3022", "--from=build /out/package", "--from=other /out/package"],
    ["DL3023", "RUN mkdir", "COPY --from=build /a /b\nRUN mkdir"],
    ["DL3024", ":nonroot", ":nonroot AS build"],
    ["DL3025", 'CMD ["serve", "--host", "0.0.0.0"]', "CMD serve --host 0.0.0.0"],
    ["DL3029", "FROM node", "FROM --platform=linux/amd64 node"],
    ["DL3044", "ENV PDPP_DATA_DIR=/data", "ENV PDPP_DATA_DIR=/data X=$PDPP_DATA_DIR"],
    ["DL3045", "/out/package /app", "/out/package app"],
    ["DL3048", "org.opencontainers.image.title", "org.Opencontainers_title"],
    ["DL3051", 'title="pdpp"', 'title=""'],
    ["DL3057", "HEALTHCHECK", "# HEALTHCHECK"],
    ["DL3059", "RUN mkdir", "RUN mkdir /out\nRUN mkdir"],
    ["DL3061", "FROM node", "EXPOSE 1\nFROM node"],
    ["DL3063", ":nonroot", ":nonroot AS context"],
    ["DL3064", "ENV PDPP_DATA_DIR", "ENV PASSWORD=x PDPP_DATA_DIR"],
    ["DL3066", "USER 65532:65532", "USER pdpp"],
    ["DL3067", "/out/package /app", "/ /app"],
    ["DL4000", "EXPOSE", "MAINTAINER me\nEXPOSE"],
    ["DL4003", 'CMD ["serve', 'CMD ["x"]\nCMD ["serve'],
    ["DL4004", "ENTRYPOINT", 'ENTRYPOINT ["x"]\nENTRYPOINT'],
    ["DL4006", "RUN mkdir /out/data", "RUN mkdir /out/data | cat"],
  ])("[PKG-12] notices a Dockerfile that breaks %s", (id, from, to) => {
    expect(good).toContain(from);
    expect(findBrokenRules(parseDockerfile(good.replace(from, to)))).toContain(id);
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
