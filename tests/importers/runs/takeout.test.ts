import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { type Connected, connect, parseOfferedCalls } from "@pdpp/test-support/mcp/clients";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerFinder } from "../../evidence/words.ts";
import { writeZip } from "../archives/zip-writer.ts";
import { buildTakeout, takeoutQuestions } from "./takeout.ts";

/** The steps of an owner with a Takeout who follows the README: import, grant, ask. */
describe("[IMP-19] a Takeout of nine products", () => {
  let vault: CliVault;
  let agent: Connected;
  let server: RunningServer;
  let plan: { format: string; connection_id: string; questions: unknown[] }[];

  beforeAll(async () => {
    vault = createCliVault({ isInProcess: true });
    const items = Object.entries(buildTakeout(1000)).map(([name, content]) => ({ name, content }));
    const file = vault.file("takeout-20261101T080000Z-001.zip", writeZip(items));
    const ran = await vault.json<{ plan: typeof plan; not_understood: unknown[]; import_id: string }>([
      "import",
      file,
      "--yes",
    ]);
    expect(ran.not_understood).toEqual([]);
    plan = ran.plan;
    const connections = plan.flatMap(({ connection_id }) => ["--connection", connection_id]);
    const grant = ["grant", "create", "--client", "Agent", ...connections, "--stream", "*"];
    const { token } = await vault.json<{ token: string }>(grant);
    server = await serve({ dataDir: join(vault.directory, "vault"), port: 0, host: "127.0.0.1" });
    agent = await connect({ transport: "http", era: "modern" }, server.url, token);
  });
  afterAll(async () => {
    await agent?.close();
    await server?.close();
    vault?.drop();
  });

  it("is recognized whatever its folders are called, and asks no questions", () => {
    expect(plan.map(({ format }) => format).sort()).toEqual(
      [
        "google-activity",
        "google-chat",
        "google-keep",
        "google-timeline",
        "icalendar",
        "mail-files",
        "photos",
        "vcard",
      ].sort(),
    );
    expect(plan.flatMap(({ questions }) => questions)).toEqual([]);
  });

  it.each(takeoutQuestions)("answers an agent over MCP: %s", async (question, answer) => {
    const isIn = answerFinder([answer]);
    const page = await agent.call("search", { query: question });
    const shown = [page.text];
    for (const call of parseOfferedCalls(page.text)
      .filter(({ tool }) => tool !== "search")
      .slice(0, 3)) {
      if (shown.some(isIn)) break;
      shown.push((await agent.follow(call)).text);
    }
    expect(shown.some(isIn), shown.join("\n\n")).toBe(true);
  });
});
