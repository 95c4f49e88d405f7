import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/support/postgres-server.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
