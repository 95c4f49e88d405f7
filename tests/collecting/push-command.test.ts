import type { SourceDocument } from "@pdpp/contract/sources";
import { type CliVault, createCliVault } from "@pdpp/test-support/cli/cli-vault";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

describe("[COL-44] pdpp source add push", () => {
  let vault: CliVault;
  beforeAll(() => {
    vault = createCliVault({ isInProcess: true });
  });
  afterAll(() => vault.drop());
  const add = (...more: string[]) => ["source", "add", "push", ...more];

  it("shows an address and a token once, and revokes the token with the source", async () => {
    type Added = SourceDocument & { readonly url: string; readonly token: string };
    const added = await vault.json<Added>(
      add("--kind", "location", "--id", "phone", "--url", "https://vault.example/"),
    );
    expect(added).toMatchObject({
      source_id: "phone",
      kind: "push",
      connection_id: "phone",
      settings: { accepts: "location" },
      url: "https://vault.example/v1/push/phone",
      token: expect.stringMatching(/^pdpp_owner_/),
    });
    const second = await vault.run(add("--kind", "location"));
    expect(second.stdout).toMatch(/^send to http:\/\/\S+\/v1\/push\/location\ntoken {3}pdpp_owner_\S+\n$/);
    for (const args of [
      ["source", "list"],
      ["source", "show", "phone"],
      ["owner-token", "list"],
    ])
      expect((await vault.run([...args, "--json"])).stdout).not.toContain(added.token);
    const tokens = async () =>
      (await vault.json<{ data: { name: string; status: string; may: string[] }[] }>(["owner-token", "list"])).data;
    expect((await tokens()).find(({ name }) => name === "push phone")).toMatchObject({
      status: "active",
      may: ["push"],
    });
    // There is nothing to collect.
    expect((await vault.run(["source", "show", "phone"])).stdout).toMatch(
      /^phone: Nothing received yet\n {2}push, into connection phone\n {2}receives at \/v1\/push\/phone\n/,
    );
    expect((await vault.run(["source", "runs", "phone"])).stdout).not.toContain("pdpp source sync");
    expect(await vault.run(["source", "schedule", "phone"])).toMatchObject({ code: 64 });
    expect(await vault.json(["source", "sync"])).toEqual({ object: "list", data: [] });
    expect(await vault.run(["source", "sync", "phone"])).toMatchObject({ code: 1 });
    expect(await vault.json(["source", "remove", "phone", "--yes"])).toMatchObject({ deleted: true });
    expect((await tokens()).find(({ name }) => name === "push phone")).toMatchObject({ status: "revoked" });
  });

  it("takes records of a known connector only, into a connection of it", async () => {
    expect(await vault.run(add("--kind", "records"))).toMatchObject({ code: 64 });
    expect(await vault.run(add("--kind", "records", "--connector", "nothing"))).not.toMatchObject({ code: 0 });
    expect(await vault.run(add("--kind", "location", "--connector", "location"))).toMatchObject({ code: 64 });
    const records = await vault.json<SourceDocument>(
      add("--kind", "records", "--connector", "location", "--id", "trips"),
    );
    expect(records).toMatchObject({ settings: { accepts: "records" }, connection_id: "trips" });
    expect(await vault.run(add("--kind", "location", "--into", "trips"))).not.toMatchObject({ code: 0 });
  });
});
