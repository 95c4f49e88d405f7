import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/** The licences of all packages whose code is in the bundle, which most of them require to be passed on. */
export function writeNotices(root: string, file: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const isShipped = (path: string, { dev, devOptional, optional, link }: LockedPackage): boolean =>
    path.includes("node_modules/") && !dev && !devOptional && !optional && !link;
  const notices = Object.entries(packages)
    .filter(([path, locked]) => isShipped(path, locked))
    .map(([path, { version, license }]) => {
      const name = path.split("node_modules/").at(-1);
      return `${name} ${version} (${license})\n\n${readLicences(join(root, path))}`;
    });
  writeFileSync(file, notices.join(`\n${"-".repeat(80)}\n\n`));
}

const readLicences = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|notice|copying)/i.test(entry.name))
    .map(({ name }) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
