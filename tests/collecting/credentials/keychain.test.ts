import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const module = fileURLToPath(new URL("../../../packages/collecting/src/credentials/keychain.ts", import.meta.url));
const program = `const { openKeychain } = await import(${JSON.stringify(module)});
const keychain = await openKeychain();
if (keychain === undefined) console.log("no keychain");
else {
  await keychain.set("test", "swordfish");
  console.log(await keychain.get("test"), await keychain.get("another"));
  await keychain.delete("test");
  console.log(await keychain.get("test"));
}`;

const isInstalled = (name: string): boolean => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;
const hasDesktop = ["dbus-run-session", "gnome-keyring-daemon"].every(isInstalled);

describe.skipIf(process.platform !== "linux")("the system's keychain (on Linux)", () => {
  const home = mkdtempSync(join(tmpdir(), "pdpp-keychain-"));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  /** Hides the session of the developer who runs the tests. */
  const env = { PATH: process.env.PATH, HOME: home };
  const run = (command: string, args: readonly string[]) =>
    spawnSync(command, args, { env, encoding: "utf8" }).stdout.trim().split("\n");

  it("[COL-51] is not used without a secret service: the kernel's keyring would forget the key", () => {
    expect(run(process.execPath, ["--input-type=module", "-e", program])).toEqual(["no keychain"]);
  });

  it.skipIf(!hasDesktop)("[COL-51] is the secret service of the session (needs gnome-keyring and dbus)", () => {
    const session = `printf pw | gnome-keyring-daemon --unlock --components=secrets > /dev/null; exec "$@"`;
    const command = [process.execPath, "--input-type=module", "-e", program];
    expect(run("dbus-run-session", ["--", "sh", "-c", session, "sh", ...command])).toEqual(["swordfish null", "null"]);
  });
});
