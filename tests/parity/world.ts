import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "@pdpp/contract/declaration";
import { parseManifest } from "@pdpp/contract/manifest";
import { connect } from "@pdpp/test-support/mcp/clients";
import { awkwardIds, createMcpWorld, grantArchive, vaultSecret } from "@pdpp/test-support/mcp/world";
import { createVault, type EngineName } from "@pdpp/test-support/vaults/new-vault";
import { buildMessage, now, putRecords } from "@pdpp/test-support/vaults/sample";
import { addConnection } from "#server/owner/connections";
import { revoke } from "#server/store/access/grants";
import { createCliSurface } from "./cli.ts";
import { createMcpSurface } from "./mcp.ts";
import { readBytesAt, type Surface } from "./neutral.ts";
import { createRestSurface } from "./rest.ts";

/** One server with one grant, and four ways to read it. */

export interface ParityWorld {
  readonly surfaces: readonly Surface[];
  revoke(): Promise<void>;
  close(): Promise<void>;
}

const wideNames = Array.from({ length: 60 }, (_, i) => `part_${String(i).padStart(2, "0")}`);

/** More fields than fit on a card or in a document. */
const wideManifest: JsonObject = {
  connector_id: "https://example.org/connectors/wide",
  connector_key: "wide",
  version: "1",
  streams: [
    {
      name: "forms",
      semantics: "mutable_state",
      primary_key: ["id"],
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: Object.fromEntries(["id", ...wideNames].map((name) => [name, { type: "string" }])),
      },
    },
  ],
};

/** Amounts in several units. */
const ledgerManifest: JsonObject = {
  connector_id: "https://example.org/connectors/ledger",
  connector_key: "ledger",
  version: "1",
  streams: [
    {
      name: "entries",
      semantics: "append_only",
      primary_key: ["id"],
      cursor_field: "on",
      selection: { fields: true, resources: true },
      schema: {
        type: "object",
        required: ["id"],
        properties: {
          id: { type: "string" },
          on: { type: "string", format: "date" },
          payee: { type: "string", x_pdpp_role: "primary-title" },
          amount: { type: "number", x_pdpp_role: "amount", x_pdpp_unit_field: "currency" },
          currency: { type: "string" },
        },
      },
      query: {
        search: { lexical_fields: ["payee"] },
        aggregations: {
          count: true,
          sum: ["amount"],
          max: ["amount"],
          group_by: ["payee"],
          group_by_time: ["on"],
        },
      },
    },
  ],
};

const entries = [
  ["Baker", 0.1, "EUR", "2026-01-03"],
  ["Baker", 0.2, "EUR", "2026-02-01"],
  ["Hotel", 12.5, "EUR", "2026-01-09"],
  ["Hotel", 6800, "JPY", "2026-01-08"],
  ["Hotel", 1200, "JPY", "2026-02-08"],
].map(([payee, amount, currency, on], i) => ({ data: { id: `e${i}`, payee, amount, currency, on } }));

export async function createParityWorld(engine: EngineName): Promise<ParityWorld> {
  const vault = await createVault(engine, vaultSecret);
  const world = await createMcpWorld(vault);
  await vault.store.register(parseManifest(wideManifest), now);
  await addConnection(vault.store, 1, { connectorKey: "wide", id: "wide_1" }, now);
  const wide = Object.fromEntries(wideNames.map((name) => [name, `What ${name} says, at some length. `.repeat(8)]));
  await vault.store.register(parseManifest(ledgerManifest), now);
  await addConnection(vault.store, 1, { connectorKey: "ledger", id: "ledger_1" }, now);
  await putRecords(vault, "ledger_1", "entries", entries);
  await putRecords(vault, "wide_1", "forms", [{ data: { id: "f1", ...wide } }]);
  for (const connection of ["chat_home", "chat_work"])
    await putRecords(vault, connection, "messages", [buildMessage("twin", 200, { text: "in both" })]);
  await putRecords(vault, "attic", "plain", [{ data: { id: "p2", title: "short-lived" } }]);
  await putRecords(vault, "attic", "plain", [{ key: "p2", op: "delete" }]);
  const all = ["chat", "shop", "wide", "ledger"].map((key) => ({ connector_key: key, streams: [{ name: "*" }] }));
  const { token, grantIds } = await world.issueGrant({ client: { name: "agent" }, sources: [...all, grantArchive()] });
  const home = mkdtempSync(join(tmpdir(), "pdpp-parity-"));
  const [stdio, hosted] = await Promise.all([
    connect({ transport: "stdio", era: "modern" }, world.url, token),
    connect({ transport: "http", era: "modern" }, world.url, token),
  ]);
  const get = (address: string) => readBytesAt(world.url, token, address);
  const surfaces = [
    createRestSurface(world.url, token),
    createCliSurface(world.url, token, home),
    createMcpSurface("MCP stdio", stdio, get),
    createMcpSurface("MCP hosted", hosted, get),
  ];
  return {
    surfaces,
    revoke: async () => {
      for (const id of grantIds) await vault.store.engine.write((on) => revoke(on, 1, id, now));
    },
    close: async () => {
      for (const surface of surfaces) await surface.close();
      await world.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export { awkwardIds };
