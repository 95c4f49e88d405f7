import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Mounts a disk of a few megabytes, if the user may mount one. */
export function mountSmallDisk(): { readonly path: string; unmount(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), "pdpp-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m", "tmpfs", path], { stdio: "ignore" });
    return {
      path,
      unmount: () => {
        execFileSync("umount", ["-l", path], { stdio: "ignore" });
        rmSync(path, { recursive: true, force: true });
      },
    };
  } catch {
    rmSync(path, { recursive: true, force: true });
    return undefined;
  }
}

/** Fills the disk to the last byte, or to the last `spareBytes`. */
export function fillDisk(path: string, spareBytes = 0): void {
  const fd = openSync(join(path, "filler"), "w");
  try {
    for (let size = 64 * 1024; size >= 1; size = Math.floor(size / 4)) {
      try {
        while (writeSync(fd, Buffer.alloc(size)) === size);
      } catch {
        // Try a smaller piece.
      }
    }
    ftruncateSync(fd, Math.max(0, fstatSync(fd).size - spareBytes));
  } finally {
    closeSync(fd);
  }
}
