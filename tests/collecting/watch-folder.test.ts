import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchFolder } from "#collecting/folder/watch-folder";

const timing = { quietMs: 50, maxDelayMs: 300, pollMs: 100, rescanMs: 3_600_000 };

describe("[COL-36] watching a folder", () => {
  let root: string;
  let folder: string;
  let changes: number;
  let stop: AbortController;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pdpp-watch-"));
    folder = join(root, "watched");
    changes = 0;
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    rmSync(root, { recursive: true, force: true });
  });

  const onChange = (): void => {
    changes += 1;
  };
  const watchIt = (more = {}): void => watchFolder(folder, { signal: stop.signal, onChange }, { ...timing, ...more });
  /** Runs `change` and waits until it was noticed. */
  const expectChange = async (change: () => void): Promise<void> => {
    const before = changes;
    change();
    await expect.poll(() => changes).toBeGreaterThan(before);
    // Its changes may be reported in several steps.
    await sleep(400);
  };

  it("reports the start, and new, changed, renamed and removed files in subfolders", async () => {
    mkdirSync(join(folder, "sub"), { recursive: true });
    watchIt();
    await expectChange(() => undefined);
    await expectChange(() => writeFileSync(join(folder, "a.txt"), "a"));
    await expectChange(() => appendFileSync(join(folder, "a.txt"), "b"));
    await expectChange(() => renameSync(join(folder, "a.txt"), join(folder, "sub", "a.txt")));
    await expectChange(() => mkdirSync(join(folder, "new")));
    await expectChange(() => writeFileSync(join(folder, "new", "b.txt"), "b"));
    await expectChange(() => rmSync(join(folder, "sub", "a.txt")));
    const before = changes;
    mkdirSync(join(folder, ".obsidian"));
    writeFileSync(join(folder, ".obsidian", "workspace.json"), "{}");
    writeFileSync(join(folder, "takeout.zip.part"), "half");
    writeFileSync(join(folder, ".hidden"), "x");
    await sleep(500);
    expect(changes).toBe(before);
    stop.abort();
    writeFileSync(join(folder, "c.txt"), "c");
    await sleep(500);
    expect(changes).toBe(before);
  });

  it("reports a file that is written all the time now and then", async () => {
    mkdirSync(folder);
    watchIt({ pollMs: 3_600_000 });
    await expectChange(() => undefined);
    const before = changes;
    const timer = setInterval(() => appendFileSync(join(folder, "log.txt"), "x"), 10);
    await expect.poll(() => changes).toBeGreaterThan(before + 2);
    clearInterval(timer);
  });

  it("waits for a folder that does not exist, and notices that it came, went and was replaced", async () => {
    watchIt();
    await expectChange(() => undefined);
    await expectChange(() => mkdirSync(folder));
    await expectChange(() => writeFileSync(join(folder, "a.txt"), "a"));
    await expectChange(() => renameSync(folder, join(root, "away")));
    await expectChange(() => mkdirSync(folder));
    await expectChange(() => writeFileSync(join(folder, "b.txt"), "b"));
  });

  it("looks again and again where the system cannot watch", async () => {
    vi.resetModules();
    vi.doMock("node:fs", async (load) => ({
      ...(await load<typeof import("node:fs")>()),
      watch: () => {
        throw Object.assign(new Error("no space left on device, watch"), { code: "ENOSPC" });
      },
    }));
    try {
      const polling = await import("#collecting/folder/watch-folder");
      mkdirSync(join(folder, "sub"), { recursive: true });
      polling.watchFolder(folder, { signal: stop.signal, onChange }, timing);
      await expectChange(() => undefined);
      await expectChange(() => writeFileSync(join(folder, "sub", "a.txt"), "a"));
      await expectChange(() => appendFileSync(join(folder, "sub", "a.txt"), "b"));
      await expectChange(() => rmSync(join(folder, "sub", "a.txt")));
      const before = changes;
      await sleep(500);
      expect(changes).toBe(before);
    } finally {
      vi.doUnmock("node:fs");
      vi.resetModules();
    }
  });

  it("looks every hour, whatever the system reports", async () => {
    mkdirSync(folder);
    watchIt({ rescanMs: 50 });
    await expect.poll(() => changes).toBeGreaterThan(5);
  });
});
