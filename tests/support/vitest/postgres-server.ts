import type { TestProject } from "vitest/node";
import { startPostgres } from "../postgres/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** A real PostgreSQL server that stands for the whole run; each test makes databases of its own. */
    postgresUrl: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  // Nothing here must outlive a crash of the machine.
  const flags = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "max_connections=200"];
  const server = await startPostgres(...flags);
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
