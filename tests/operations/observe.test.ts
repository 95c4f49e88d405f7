import { join } from "node:path";
import { type RunningServer, serve } from "@pdpp/server/main";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { cleanEnvironment } from "@pdpp/test-support/cli/run-pdpp";
import { startServer } from "@pdpp/test-support/processes/server-process";
import { afterAll, beforeAll, expect, it } from "vitest";

let vault: CliVault;
let server: RunningServer;
let ownerToken: string;
let ingestToken: string;
const metricsToken = "a-token-for-figures-only";
const lines: string[] = [];
beforeAll(async () => {
  vault = createCliVault({ isInProcess: true });
  const dataDir = join(vault.directory, "vault");
  ownerToken = (await vault.json<{ token: string }>(["owner-token", "create", "--name", "watcher"])).token;
  const ingest = ["owner-token", "create", "--name", "writer", "--may", "ingest"];
  ingestToken = (await vault.json<{ token: string }>(ingest)).token;
  server = await serve({
    dataDir,
    port: 0,
    host: "127.0.0.1",
    demo: true,
    metricsToken,
    onRequestLine: (line) => lines.push(line),
  });
});
afterAll(async () => {
  await server?.close();
  vault.drop();
});

const request = (path: string, token?: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(new URL(path, server.url), {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    redirect: "manual",
  });
const readMetrics = async (): Promise<string> => (await request("/metrics", metricsToken)).text();

/** Lines are written when a response is closed, which can be after the client has it. */
async function takeLines(count: number): Promise<string[]> {
  await expect.poll(() => lines.length).toBe(count);
  return lines.splice(0);
}

it("[OPS-5] prints one line a request, without anything that a client or a record chose", async () => {
  lines.length = 0;
  const paths = [
    ["/v1/streams/messages/records/secret-record-id", "/v1/streams/{stream}/records/{record_id}", server.demoToken],
    ["/v1/search?q=secret-word", "/v1/search", server.demoToken],
    ["/v1/streams/messages", "/v1/streams/{stream}", "pdpp_client_secret-token-secret-token"],
    ["/v1/secret/unknown", "/v1/{unknown}", undefined],
    ["/record/secret-connection/secret:id?at=1", "/{page}", undefined],
    ["/oauth/secret-thing", "/oauth/{path}", undefined],
    ["/healthz", "/healthz", undefined],
  ] as const;
  const answers: Response[] = [];
  for (const [path, , token] of paths) {
    const answer = await request(path, token);
    await answer.text();
    answers.push(answer);
  }
  const printed = await takeLines(paths.length);
  const entries = printed.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toEqual(
    paths.map(([, route], index) => ({
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      severity_text: "INFO",
      "http.request.method": "GET",
      "http.route": route,
      "http.response.status_code": answers[index]!.status,
      "http.server.request.duration": expect.any(Number),
      "network.protocol.version": "1.1",
      "pdpp.request.id": answers[index]!.headers.get("request-id"),
      "pdpp.response.complete": true,
    })),
  );
  expect(printed.join("")).not.toContain("secret");
  expect(printed.join("")).not.toContain(server.demoToken);
});

it("[OPS-5] [OPS-6] pdpp serve --log json prints JSON lines only, and takes the metrics token from the environment", async () => {
  const env = cleanEnvironment({ HOME: vault.directory, PDPP_METRICS_TOKEN: metricsToken });
  const dataDir = join(vault.directory, "another");
  const started = startServer(["--json", "--log", "json", "--data-dir", dataDir], env);
  const printed: Record<string, unknown>[] = [];
  for await (const line of started.output) {
    printed.push(JSON.parse(line) as Record<string, unknown>);
    if (printed.length === 2) break;
    const answer = await fetch(`${String(printed[0]!.url)}/metrics`, {
      headers: { authorization: `Bearer ${metricsToken}` },
    });
    expect(answer.status).toBe(200);
    await answer.text();
  }
  await started.stop();
  expect(printed).toMatchObject([{ event: "ready" }, { "http.route": "/metrics", "http.response.status_code": 200 }]);
  const weak = await vault.run(["serve", "--port", "0"], { env: { PDPP_METRICS_TOKEN: "short" } });
  expect(weak).toMatchObject({ code: 64, stderr: expect.stringContaining("16 to 512") });
});

it("[OPS-6] shows figures to the owner and to the metrics token alone", async () => {
  const statuses = [];
  for (const token of [undefined, "wrong-token-wrong-token", server.demoToken, ingestToken, metricsToken, ownerToken])
    statuses.push((await request("/metrics", token)).status);
  expect(statuses).toEqual([401, 401, 403, 403, 200, 200]);
  for (const path of ["/v1/streams", "/v1/schema", "/mcp"])
    expect((await request(path, metricsToken)).status).toBe(401);
});

it("[OPS-6] counts requests by route and status, in a format that Prometheus reads", async () => {
  const answer = await request("/metrics", metricsToken);
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  const text = await answer.text();
  for (const line of text.trim().split("\n"))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="([^"\\]|\\.)*",?)*\})? [\d.e+-]+)$/);
  for (const name of ["pdpp_vault_bytes", "process_resident_memory_bytes", "http_server_active_requests"])
    expect(Number(new RegExp(`^${name} (.+)$`, "m").exec(text)?.[1]), name).toBeGreaterThan(0);
  const search = 'http_request_method="GET",http_route="/v1/search",http_response_status_code="200"';
  expect(text).toContain(`http_server_request_duration_seconds_count{${search}} 1\n`);
  expect(text).toContain(`http_server_request_duration_seconds_bucket{${search},le="+Inf"} 1\n`);
  expect(text).not.toContain("secret");
});

it("[OPS-6] has as many time series as there are routes", async () => {
  for (const path of ["/v1/streams/messages/records/first", "/first"]) await (await request(path, ownerToken)).text();
  const countSeries = async (): Promise<number> => (await readMetrics()).split("\n").length;
  const before = await countSeries();
  for (let each = 0; each < 50; each += 1) {
    await (await request(`/v1/streams/messages/records/id-${each}`, ownerToken)).text();
    await (await request(`/page-${each}`, ownerToken)).text();
  }
  expect(await countSeries()).toBe(before);
});
