import { createCliVault, toNdjson } from "@pdpp/test-support/cli/cli-vault";
import { expect, test } from "vitest";

const mail = {
  connector_key: "mail",
  version: "1",
  streams: [
    {
      name: "mails",
      primary_key: ["id"],
      schema: {
        type: "object",
        properties: { id: { type: "string" }, received_at: { type: "string", format: "date-time" } },
      },
    },
  ],
};

test("[ING-1] ingest names invalid dates, and stores their records", async () => {
  const vault = createCliVault();
  try {
    await vault.json(["connector", "add", vault.file("mail.json", mail)]);
    await vault.json(["connection", "add", "mail", "--id", "home"]);
    const input = toNdjson([{ data: { id: "1", received_at: "yesterday" } }, { data: { id: "2" } }]);
    const { code, stdout } = await vault.run(["ingest", "home", "mails"], { input });
    expect([code, stdout.trimEnd().split("\n")]).toEqual([
      0,
      [
        "stored 2, unchanged 0, rejected 0",
        "stored, but these dates are not valid and cannot be searched or sorted:",
        '  line 1: /received_at must match format "date-time"',
      ],
    ]);
  } finally {
    vault.drop();
  }
});
