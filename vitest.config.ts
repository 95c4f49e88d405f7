import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// Local times are those of the machine unless an owner chose a zone; tests have one machine.
process.env.TZ = "UTC";

/** Whole stories, which take seconds each: kills, full disks, crowds, backups, a browser, imports into vaults, other programs. */
const stories = [
  "tests/scenarios/**/*.test.ts",
  "tests/cluster/**/*.test.ts",
  "tests/collecting/dav/**/*.test.ts",
  "tests/browser/**/*.test.ts",
  "tests/importers/runs/**/*.test.ts",
  "tests/collecting/imap/**/*.test.ts",
  "tests/console/import*.test.ts",
  "tests/importers/suite/**/*.test.ts",
  "tests/walker/**/*.test.ts",
  "tests/model/**/*.test.ts",
  "tests/mcp/protocol/{conformance,inspector,sdk-clients}.test.ts",
  "tests/mcp/hosts/measure.test.ts",
  "tests/search/{twins,retrieval}.test.ts",
  "tests/docs/operations.test.ts",
  "tests/collecting/{folder,folder-page,folder-postgres,watch-folder}.test.ts",
  "tests/operations/{proxies,stopping,recipes}.test.ts",
  "tests/cli/{agent-story,owner-story,backup,records,read,continuations,export,serve}.test.ts",
  "packages/cli/src/connect/connect.test.ts",
];

/** Tests of the command line, of MCP and of the server that start pdpp as a process. */
const installed = [
  "tests/cli/**/*.test.ts",
  "tests/mcp/{surface,golden}.test.ts",
  "tests/mcp/protocol/{sdk-clients,inspector}.test.ts",
  "tests/operations/{service,tls,observe,backup-keep}.test.ts",
  "tests/scenarios/{exit-code,socket,both-loopbacks}.test.ts",
  "tests/docs/operations.test.ts",
];
const isInstalled = (mode: string): boolean => ["installed", "executable"].includes(mode);

/** Mode "quick" leaves out the stories, "stories" runs only those, "long" runs everything with more cases, "installed" and "executable" run
 * pdpp as people install it, any other mode everything once. */
export default defineConfig(({ mode }) => ({
  test: {
    include:
      mode === "stories" ? stories : isInstalled(mode) ? installed : ["packages/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: ["**/node_modules/**", ...(mode === "quick" ? stories : [])],
    globalSetup: ["tests/support/vitest/postgres-server.ts", "tests/support/vitest/installed-program.ts"],
    setupFiles: ["tests/support/vitest/fixed-seed.ts"],
    reporters: ["default", "tests/support/vitest/skipped-reporter.ts"],
    // On a small machine vitest leaves one processor idle. Stories often wait, so one more of them runs.
    maxWorkers: availableParallelism() + (mode === "stories" ? 1 : 0),
    // Sources are loaded once for many files; what starts servers and kills processes has a process of its own.
    isolate: mode !== "quick",
    // Generous: a time limit is there to end a test that hangs, not to fail one on a busy machine.
    testTimeout: mode === "long" ? 7_200_000 : 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    // A busy machine must not make a read, a lock or a connection time out.
    env: { PDPP_TEST_MODE: mode, PDPP_TIME_LIMIT_FACTOR: "12" },
  },
}));
