import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTree } from "@pdpp/importers/tree";
import { describe, expect, it } from "vitest";
import { detect } from "#importers/core/plan";
import { formats } from "#importers/formats/formats";
import { answers } from "../../support.ts";

/** Compares with notmuch and mu, which read Maildir folders and are in every Linux distribution. */

const head = (n: number): string =>
  `Message-ID: <m${n}@x.example>\nFrom: Ada <ada@x.example>\nTo: ben@x.example\nSubject: subject ${n}\nDate: Mon, 1 Jan 2024 10:00:00 +0000`;

const patch =
  "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nFrom: Ben <ben@x.example>\nSubject: [PATCH] fix";

/** Mails as programs write them, good and bad. */
const oddMails: Readonly<Record<string, (n: number) => string>> = {
  plain: (n) => `${head(n)}\n\nHello\n`,
  "a folded line that is not indented": (n) => `${head(n)}\nX-Long: one\ntwo three\nX-After: yes\n\nHello\n`,
  "a broken first line": (n) => `garbage line\n${head(n)}\n\nHello\n`,
  "a blank first line": (n) => `\n${head(n)}\n\nHello\n`,
  "an envelope": (n) => `From ada@x.example Mon Jan  1 10:00:00 2024\n${head(n)}\n\nHello\n`,
  "a quoted envelope": (n) => `>From ada@x.example Mon Jan  1 10:00:00 2024\n${head(n)}\n\nHello\n`,
  "a mail in its body": (n) =>
    `${head(n)}\n\nHello\n\nFrom zoe@x.example Mon Jan  1 10:00:00 2024\nSubject: inner\n\nx\n`,
  "a patch in its body": (n) => `${head(n)}\n\nHello\n\n${patch}\n\n---\n`,
  "a space before the colon": (n) => `${head(n).replace("Subject:", "Subject :")}\n\nHello\n`,
  "Latin-1 in a header": (n) => `${head(n)}\nX-Name: Z\xf6e\n\nHello\n`,
  "CRLF line ends": (n) => `${head(n)}\n\nHello\n`.replaceAll("\n", "\r\n"),
  "no body": (n) => head(n),
  "no id": (n) => `${head(n).replace(/^Message-ID.*\n/, "")}\n\nHello\n`,
  "From and nothing else": () => "From: ada@x.example\n\nHello\n",
  "To and Cc": () => "To: ben@x.example\nCc: cleo@x.example\nX-Mailer: x\n\nHello\n",
  "a byte order mark": (n) => `\xef\xbb\xbf${head(n)}\n\nHello\n`,
  "a very long header": (n) => `${head(n)}\nX-Long: ${"x".repeat(70_000)}\n\nHello\n`,
  "many headers before the first known one": (n) => `${"X-Spam: no\n".repeat(8000)}${head(n)}\n\nHello\n`,
};

function writeMaildir(root: string): string[] {
  const paths: string[] = [];
  for (const folder of ["cur", "new", "tmp"]) mkdirSync(join(root, "Mail", folder), { recursive: true });
  for (const [n, build] of Object.values(oddMails).entries()) {
    const path = `Mail/${n % 2 === 0 ? "cur" : "new"}/17000000${String(n).padStart(2, "0")}.M${n}.host${n % 2 === 0 ? ":2,S" : ""}`;
    writeFileSync(join(root, path), Buffer.from(build(n), "latin1"));
    paths.push(path);
  }
  return paths;
}

async function listImported(root: string): Promise<{ paths: Set<string>; subjects: unknown[] }> {
  const tree = await openTree([join(root, "Mail")]);
  try {
    const { claims } = await detect(tree, formats);
    const paths = new Set<string>();
    const subjects: unknown[] = [];
    for (const { importer, claim } of claims) {
      expect(importer.key).toBe("mail-files");
      const read: string[] = [];
      for await (const item of importer.read(claim, answers)) {
        if (item.kind === "record" && item.stream === "messages") subjects.push(item.data.subject);
        if (item.kind === "rejected") read.push(item.path);
      }
      for (const { path } of claim.entries) if (!read.includes(path)) paths.add(path);
    }
    return { paths, subjects };
  } finally {
    await tree.close();
  }
}

const withFolder = async <T>(work: (root: string) => Promise<T>): Promise<T> => {
  const root = mkdtempSync(join(tmpdir(), "pdpp-maildir-"));
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

it("[IMP-28] every mail of a Maildir is imported whole", () =>
  withFolder(async (root) => {
    const paths = writeMaildir(root);
    const { paths: imported, subjects } = await listImported(root);
    expect(paths.filter((path) => ![...imported].some((each) => path.endsWith(each)))).toEqual([]);
    expect(subjects).toHaveLength(paths.length);
    expect(subjects.filter((subject) => subject !== "")).toHaveLength(paths.length - 2);
  }));

function isInstalled(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const missing = ["notmuch", "mu"].filter((command) => !isInstalled(command));
const why = missing.length === 0 ? "" : ` (skipped: install ${missing.join(" and ")})`;

describe.skipIf(missing.length > 0)(`next to notmuch and mu${why}`, () => {
  it("[IMP-28] nothing that both accept is dropped", () =>
    withFolder(async (root) => {
      const paths = writeMaildir(root);
      const env = {
        ...process.env,
        HOME: root,
        NOTMUCH_CONFIG: join(root, "notmuch"),
        XDG_CACHE_HOME: join(root, "cache"),
      };
      const run = (command: string, ...words: string[]): string =>
        execFileSync(command, words, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
      writeFileSync(
        env.NOTMUCH_CONFIG,
        `[database]\npath=${join(root, "Mail")}\n[user]\nname=x\nprimary_email=x@x.example\n`,
      );
      run("notmuch", "new", "--quiet");
      const byNotmuch = run("notmuch", "search", "--output=files", "--exclude=false", "*");
      run("mu", "init", `--maildir=${join(root, "Mail")}`);
      run("mu", "index", "--quiet");
      const byMu = run("mu", "find", "--fields=l", "--include-related", "");
      const both = paths.filter((path) => byNotmuch.includes(path) && byMu.includes(path));
      expect(both.length).toBeGreaterThan(10);
      const { paths: imported } = await listImported(root);
      expect(both.filter((path) => ![...imported].some((each) => path.endsWith(each)))).toEqual([]);
    }));
});
