import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { answers, createMemoryTree, importTree, listRecords, openOwner } from "../../support.ts";

const buildMail = (id: string, html: string): string =>
  [
    `Message-ID: <${id}@x.example>`,
    "From: Noor <noor@x.example>",
    "Subject: both",
    "Date: Fri, 1 Mar 2019 12:00:00 +0100",
    "MIME-Version: 1.0",
    'Content-Type: multipart/alternative; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "plain words",
    "--b",
    "Content-Type: text/html; charset=utf-8",
    "",
    html,
    "--b--",
  ].join("\n");

const plain =
  "Message-ID: <plain@x.example>\nFrom: a@x.example\nSubject: plain\nDate: Fri, 1 Mar 2019 12:00:00 +0100\n\nHello";
const html = "<p>formatted <b>wörds</b></p>";

it("[IMP-26] keeps the HTML of a mail as a file, also when it is imported again, and not without attachments", async () => {
  const vault = await createVault("sqlite");
  try {
    const owner = await openOwner(vault, Date.now);
    const long = `<p>${"x".repeat(1_000_001)}</p>`;
    const tree = () =>
      createMemoryTree(
        { "one.eml": buildMail("one", html), "plain.eml": plain, "long.eml": buildMail("long", long) },
        0,
        60_000,
      );
    const listHtml = async () => {
      const messages = (await listRecords(owner)).filter(({ stream }) => stream === "messages");
      return new Map(messages.map(({ id, data, connection_id }) => [id, { data, connection_id }]));
    };
    await importTree(owner, tree(), { importers: [mail], said: { ...answers, attachments: false } });
    expect([...(await listHtml()).values()].map((each) => each.data.html)).toEqual([null, null, null]);
    await importTree(owner, tree(), { importers: [mail] });
    const after = await listHtml();
    expect([after.get("plain@x.example")?.data.html, after.get("long@x.example")?.data.html]).toEqual([null, null]);
    const one = after.get("one@x.example");
    expect(one?.data).toMatchObject({ body_text: "plain words", html: { mime_type: "text/html" } });
    const { blob_id } = (one?.data.html ?? {}) as { blob_id: string };
    const reader = await owner.reader();
    const { bytes } = await reader.readBlob({ blob_id, connection_id: one?.connection_id ?? "" });
    expect((await new Response(bytes).text()).trim()).toBe(html);
    const grant = async (fields: string[]) => {
      const issued = await owner.grants.issue({
        client: { name: "Reader" },
        sources: [{ connector_key: "mail-files", streams: [{ name: "messages", fields }] }],
      });
      return owner.grants.reader(issued.grants[0]?.grant_id ?? "");
    };
    const ask = { blob_id, connection_id: one?.connection_id ?? "" };
    await expect((await grant(["id", "subject", "body_text"])).readBlob(ask)).rejects.toMatchObject({
      code: "blob_not_found",
    });
    expect((await (await grant(["id", "html"])).readBlob(ask)).sizeBytes).toBeGreaterThan(10);
  } finally {
    await vault.drop();
  }
});
