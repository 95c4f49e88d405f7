import { existsSync } from "node:fs";
import { installPackage } from "@pdpp/test-support/package/installed-package";
import { expect, it } from "vitest";
import { compareStarts, measureStarts } from "../../../programs/bench/starts.ts";

/** `npm run bench:start` shows the exact figures. On a busy machine they differ by so much; a package that loads too much differs by more. */
const tolerance = 1.25;

it.skipIf(!existsSync("/proc/self/stat"))(
  "[PKG-15] starts fast, compared with Node and with a bare MCP server (needs Linux's /proc)",
  async () => {
    const installed = installPackage();
    try {
      const compared = compareStarts(await measureStarts(installed, 8));
      const tooSlow = compared.filter(({ ratio, limit }) => limit !== undefined && ratio > limit * tolerance);
      expect(tooSlow).toEqual([]);
    } finally {
      installed.remove();
    }
  },
);
