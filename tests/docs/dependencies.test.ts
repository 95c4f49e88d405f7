import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runNode } from "@pdpp/test-support/processes/run-node";
import { repository } from "@pdpp/test-support/repository/requirements";
import { expect, it } from "vitest";

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
}

const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(repository, "package-lock.json"), "utf8"),
);
const installed = Object.entries(packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);
const production = installed.filter(([, { dev, devOptional }]) => !dev && !devOptional);

it("matches the lockfile in docs/dependencies.md", async () => {
  const ran = await runNode([join(repository, "scripts/licences.mjs"), "--check"]);
  expect(ran, ran.stderr).toMatchObject({ code: 0 });
});

it("pins every package by its digest in the lockfile, including Node, with no install scripts in production", () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
  expect(production.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
  expect(production.filter(([path]) => /^node_modules\/node-(bin-)?(linux|darwin|win)-/.test(path))).toHaveLength(5);
});

it("has only licenses in production that require no more than their notice", () => {
  // Where there is a choice, we use the package under MIT.
  const free =
    /^(MIT|\(MIT OR EUPL-1\.1\+\)|MIT-0|ISC|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0|0BSD|MIT AND Apache-2\.0)$/;
  expect(
    production.filter(([, { license }]) => !free.test(license ?? "")).map(([path, { license }]) => [path, license]),
  ).toEqual([]);
});
