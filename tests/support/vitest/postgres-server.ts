import type { TestProject } from "vitest/node";
import { startPostgres } from "../postgres/embedded-postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** One real PostgreSQL server for the whole run; each test creates its own databases. */
    postgresUrl: string;
  }
}

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  // Durability is not needed here.
  const flags = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "max_connections=200"];
  const server = await startPostgres(...flags);
  project.provide("postgresUrl", server.url);
  return () => server.stop();
}
