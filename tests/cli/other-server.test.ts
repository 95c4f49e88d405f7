import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInProcess } from "@pdpp/test-support/cli/run-in-process";
import type { RunResult } from "@pdpp/test-support/cli/run-pdpp";
import {
  type Connected,
  connect,
  findOfferedCalls,
  listen,
  parseOfferedCalls,
  surfaces,
} from "@pdpp/test-support/mcp/clients";
import { type OtherServer, startOtherServer } from "@pdpp/test-support/other-server/server";
import { blobBytes, blobId, longText } from "@pdpp/test-support/other-server/vault";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

/** Our clients against a server that has only the public protocol. */

let server: OtherServer;
let home: string;
beforeAll(async () => {
  server = await startOtherServer();
  home = mkdtempSync(join(tmpdir(), "pdpp-other-"));
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** No request uses anything that the server does not support. */
afterEach(() => {
  expect(server.strays.splice(0)).toEqual([]);
});

const run = (...args: string[]): Promise<RunResult> =>
  runInProcess(["read", ...args], {
    env: { PDPP_ACCESS_TOKEN: server.token, PDPP_PROVIDER_URL: server.url, HOME: home },
  });

async function runAndShow(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe("[INT-1] [INT-2] pdpp read", () => {
  const commands = [
    ["schema"],
    ["schema", "messages"],
    ["schema", "--stream", "messages", "--view", "full"],
    ["streams"],
    ["search", "bridge"],
    ["query-records", "messages", "--connection-id", "cin_a", "--limit", "3"],
    ["query-records", "pages"],
    ["fetch", "cin_a/messages:m1"],
    ["fetch", "cin_a/messages:m1", "--view", "evidence"],
    ["fetch", 'cin_s/pages:["walden","12"]'],
    ["field-window", "cin_a/messages:m1", "--field", "text"],
    ["field-window", "cin_a/messages:m1", "--field", "text", "--q", "bridge"],
    ["field-window", "cin_a/messages:m1", "--field", "text", "--limit-chars", "3000", "--all"],
    ["aggregate", "messages", "--metric", "sum", "--field", "likes"],
    ["aggregate", "messages", "--metric", "count", "--group-by", "author"],
  ];
  it.for(
    commands.flatMap((words) => ["card", "table", "json", "jsonl"].map((format) => [...words, "--format", format])),
  )("%j", async (words) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).not.toMatch(/undefined|NaN|\[object/);
    expect(stdout.trim()).not.toBe("");
  });

  it("[PUB-5] shows an aggregate that only has the public envelope", async () => {
    const answer = await fetch(`${server.url}/v1/streams/messages/aggregate?metric=count&group_by=author`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    const { data, ...top } = (await answer.json()) as { data: { groups: { key: string; count: number }[] } };
    expect(top).not.toHaveProperty("groups");
    const text = await runAndShow(
      "aggregate",
      "messages",
      "--metric",
      "count",
      "--group-by",
      "author",
      "--format",
      "card",
    );
    for (const { key, count } of data.groups)
      expect(text).toMatch(new RegExp(`${key}.*\\b${count}\\b|\\b${count}\\b.*${key}`));
  });

  it("[CLI-1] a card shows title, source, time and fields, with commands that work", async () => {
    const text = await runAndShow(
      "query-records",
      "messages",
      "--connection-id",
      "cin_a",
      "--format",
      "card",
      "--limit",
      "9",
    );
    expect(text).toContain('"The canal"');
    expect(text).toContain("2026-04-03T09:00:00Z");
    expect(text).toContain("cin_a/messages:m1");
    const commands = text.split("\n").flatMap((line) => /^-> pdpp (read .*)$/.exec(line)?.[1] ?? []);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands.filter((each) => !each.includes(" blob "))) {
      const { code, stderr } = await run(...command.split(" ").slice(1));
      expect([command, code, stderr]).toEqual([command, 0, ""]);
    }
  });

  it("[SRCH-4] a hit shows the passage with its matches marked, and the command to continue reading there", async ({
    expect,
  }) => {
    const text = await runAndShow("search", "bridge", "--format", "card");
    expect(text).toContain("The <mark>bridge</mark> over the canal is closed until March.");
    expect(text).toContain("I went to the woods by the <mark>bridge</mark>");
    const next = text.split("\n").find((line) => line.includes("field-window cin_a/messages:m1"));
    const read = await runAndShow(
      ...(next ?? "")
        .replace(/^-> pdpp read /, "")
        .replaceAll("'", "")
        .split(" "),
    );
    expect(read).toContain("The bridge over the canal is closed until March.");
    expect(await runAndShow("search", "bridge", "--open", "1", "--format", "card")).toContain("is closed until March.");
  });

  it("[WIN-3] field-window --all ends, with the whole text", async () => {
    const text = await runAndShow("field-window", "cin_a/messages:m1", "--field", "text", "--all", "--format", "json");
    expect(JSON.parse(text).window).toMatchObject({ text: longText, complete: true });
  });

  it("[CLI-1] an export goes through the streams, and resumes", async () => {
    const lines = (await runAndShow("export")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toHaveLength(10);
    const half = JSON.parse(lines[4] ?? "{}");
    const rest = await runAndShow("export", "--after", `${half.connection_id}/${half.stream}:${half.id}`);
    expect(rest.trim().split("\n")).toEqual(lines.slice(5));
  });

  it("[CLI-1] a blob", async () => {
    const file = join(home, "scan.pdf");
    await runAndShow("blob", blobId, "--output", file);
    expect(existsSync(file) && new Uint8Array(readFileSync(file))).toEqual(blobBytes);
  });

  it("[CLI-2] reports the server's errors in its words, with the exit code for their status", async () => {
    const refused = await run("query-records", "messages", "--filter", "author=Ada");
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("filter[author] is for the owner")]);
    expect((await run("fetch", "cin_a/messages:none")).code).toBe(5);
    expect((await run("query-records", "secrets")).code).toBe(4);
    const ambiguous = await run("fetch", "messages", "m1");
    expect(ambiguous.stderr).toContain("cin_b");
  });

  it("[INT-2] rejects what this server does not support without sending a request", async () => {
    const since = await run("search", "bridge", "--since", "2026-04-01");
    expect([since.code, since.stderr]).toEqual([1, expect.stringContaining("this server does not offer since")]);
  });

  it("[CLI-4] [INT-2] treats dates in the query as search words if the server cannot filter by time", async () => {
    const asked = await run("search", "bridge in March 2026");
    expect([asked.code, asked.stderr]).toEqual([0, ""]);
    expect(asked).toEqual(await run("search", "bridge in March 2026", "--no-time"));
  });
});

it("[INT-3] reports an invalid answer as the server's error, with its location", async () => {
  const broken = await listen((request) =>
    Response.json(
      new URL(request.url).pathname === "/v1/search"
        ? { object: "list", data: [{ object: "search_result" }], has_more: false }
        : { object: "schema", bearer: { token_kind: "client" }, connectors: [] },
    ),
  );
  try {
    const { code, stderr } = await run("search", "bridge", "--provider-url", broken.url);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/the answer of \S+ to search .* at data\.0\.stream/)]);
    expect(stderr).not.toContain("bug in pdpp");
  } finally {
    await broken.close();
  }
});

describe.each(surfaces.filter(({ transport }) => transport === "stdio"))(
  "[INT-1] [INT-2] pdpp mcp, $era era",
  (surface) => {
    let client: Connected;
    beforeAll(async () => {
      client = await connect(surface, server.url, server.token);
    });
    afterAll(() => client.close());

    /** Expects a result without an error whose offered calls all work. */
    async function readResult(tool: string, args: object) {
      const answer = await client.call(tool, args);
      expect(answer.isError, answer.text).toBeUndefined();
      expect(answer.text + JSON.stringify(answer.structuredContent)).not.toMatch(/undefined|NaN|‹mark/);
      for (const call of [...parseOfferedCalls(answer.text), ...findOfferedCalls(answer.structuredContent)]) {
        const next = await client.follow(call);
        expect([call, next.isError], next.text).toEqual([call, undefined]);
      }
      return answer;
    }

    it.each([
      ["schema", {}],
      ["schema", { stream: "messages" }],
      ["schema", { stream: "messages", detail: "full" }],
      ["query_records", { stream: "messages", connection_id: "cin_a" }],
      ["query_records", { stream: "messages", connection_id: "cin_a", limit: 2, fields: ["subject", "text"] }],
      ["query_records", { stream: "pages", count: "exact" }],
      ["aggregate", { stream: "messages", metric: "count", group_by: "author" }],
      ["aggregate", { stream: "messages", metric: "sum", field: "likes" }],
      ["search", { query: "bridge" }],
      ["search", { query: "bridge", limit: 1 }],
      ["search", { query: "nowhere" }],
      ["fetch", { id: "cin_a/messages:m1" }],
      ["fetch", { id: "cin_a/messages:m2", fields: ["text"] }],
      ["fetch", { id: 'cin_s/pages:["walden","12"]' }],
      ["read_record_field", { id: "cin_a/messages:m1", field_path: "text" }],
      ["read_record_field", { id: "cin_a/messages:m1", field_path: "text", q: "bridge" }],
      ["read_record_field", { id: "cin_a/messages:m2", field_path: "blob_ref" }],
      ["read_record_field", { id: "cin_a/messages:m2", field_path: "blob_ref.mime_type" }],
    ])("%s %j, and every call that it offers", async (tool, args) => {
      await readResult(tool, args);
    });

    it("[PUB-6] [PUB-7] search reports the server's recall, and the first id to fetch", async () => {
      const { structuredContent } = await readResult("search", { query: "bridge" });
      expect(structuredContent.recall).toMatchObject({ complete: true });
      const [first] = structuredContent.results;
      expect(structuredContent.first_fetch_id).toBe(first.id);
      const nothing = (await readResult("search", { query: "nowhere" })).structuredContent;
      expect([nothing.recall, nothing.first_fetch_id]).toEqual([undefined, undefined]);
    });

    it("[SRCH-4] a search shows the passage, and its call opens it", async () => {
      const { text, structuredContent } = await readResult("search", { query: "bridge" });
      expect(text).toContain("The <mark>bridge</mark> over the canal is closed until March.");
      expect(JSON.stringify(structuredContent)).toContain("I went to the woods by the <mark>bridge</mark>");
      const [read] = parseOfferedCalls(text).filter(({ tool }) => tool === "read_record_field");
      expect((await client.follow(read ?? { tool: "none", arguments: {} })).text).toContain("is closed until March.");
    });

    it("[WIN-3] consecutive windows of a field form the whole text", async () => {
      let all = "";
      let call: { tool: string; arguments: object } | undefined = {
        tool: "read_record_field",
        arguments: { id: "cin_a/messages:m1", field_path: "text" },
      };
      while (call !== undefined) {
        const { structuredContent } = await client.call(call.tool, call.arguments);
        all += structuredContent.window.text;
        call = structuredContent.next;
      }
      expect(all).toBe(longText);
    });

    it("[INT-2] rejects what this server does not support without sending a request", async () => {
      const answer = await client.call("search", { query: "bridge", since: "2026-04-01" });
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain("this server does not offer since");
    });
  },
);
