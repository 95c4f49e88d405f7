import type { Json } from "@pdpp/contract/declaration";
import { detect } from "@pdpp/importers/plan";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { answers, createMemoryTree, importTree, listRecords, openOwner } from "../../support.ts";

const createMail = (headers: string): string =>
  `${headers}${headers === "" ? "" : "\n"}Message-ID: <1@x.example>\nFrom: a@x.example\nDate: Fri, 1 Mar 2019 12:00:00 +0100\n\nx\n`;

async function readFlags(path: string, headers = ""): Promise<Json | undefined> {
  const { claims } = await detect(createMemoryTree({ [path]: createMail(headers) }, 0, 11), [mail]);
  for (const { claim } of claims)
    for await (const item of mail.read(claim, answers)) if (item.kind === "record") return item.data.flags;
  return undefined;
}

describe("[IMP-40] the flags of mails", () => {
  it.each([
    ["Status: RO", ["seen"]],
    ["Status: O", []],
    ["Status:", []],
    ["Status: RO\nX-Status: AF", ["answered", "flagged", "seen"]],
    ["X-Status: DT", ["deleted", "draft"]],
    ["X-Mozilla-Status: 0001", ["seen"]],
    ["X-Mozilla-Status: 1007\nX-Mozilla-Status2: 00000000", ["answered", "flagged", "forwarded", "seen"]],
    ["X-Mozilla-Status: 0000", []],
    ["X-Gmail-Labels: Inbox,Opened,Starred", ["flagged", "seen"]],
    ["X-Gmail-Labels: Drafts,Unread", ["draft"]],
    // Of an account in another language.
    ["X-Gmail-Labels: Posteingang", null],
    ["Status: delivered by a list", null],
    ["", null],
  ])("come from a mailbox file: %s", async (headers, flags) => {
    expect(await readFlags("a.eml", headers)).toEqual(flags);
  });

  it.each([
    ["cur/1700000000.M1P2.host:2,FS", ["flagged", "seen"]],
    ["cur/1700000000.M1P2.host:2,", []],
    ["Sent/cur/1700000000.M1P2.host;2,DPRTabc", ["answered", "deleted", "draft", "forwarded"]],
    ["new/1700000000.M1P2.host", []],
    ["cur/1700000000.M1P2.host", null],
    ["letters/1.eml", null],
  ])("come from the names of a Maildir: %s", async (path, flags) => {
    expect(await readFlags(path)).toEqual(flags);
  });

  it("are those of the newest export that has any", async () => {
    const vault = await createVault("sqlite");
    const owner = await openOwner(vault, Date.now);
    const bring = (headers: string, day: string) =>
      importTree(owner, createMemoryTree({ "a.eml": createMail(headers) }, Date.parse(day)));
    const expectFlags = async (flags: Json): Promise<void> => {
      expect((await listRecords(owner)).map(({ data }) => data.flags)).toEqual([flags]);
    };
    await bring("Status: RO\nX-Status: F", "2026-03-01");
    await expectFlags(["flagged", "seen"]);
    await bring("", "2026-04-01");
    await expectFlags(["flagged", "seen"]);
    await bring("Status: RO", "2026-05-01");
    await expectFlags(["seen"]);
    await bring("Status: O\nX-Status: A", "2026-02-01");
    await expectFlags(["seen"]);
    await vault.drop();
  });
});
