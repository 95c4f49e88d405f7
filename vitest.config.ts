import { defineConfig } from "vitest/config";

export default defineConfig(({ mode }) => ({
  test: {
    include: ["packages/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/support/postgres-server.ts"],
    reporters: ["default", "tests/support/skipped-reporter.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { PDPP_TEST_MODE: mode },
  },
}));
