import { formats } from "@pdpp/importers/formats";
import { detect } from "@pdpp/importers/plan";
import { createVault } from "@pdpp/test-support/vaults/new-vault";
import { expect, it } from "vitest";
import { chooseConnection } from "#importing/plan/choose-connection";
import { planPart } from "#importing/plan/plan-part";
import { prepareConnection, storePart } from "#importing/store/store-part";
import { answers, createMemoryTree, indexContent, listRecords, openOwner } from "../support.ts";

const buildCard = (name: string): string => `BEGIN:VCARD\nVERSION:3.0\nUID:${name}\nFN:${name}\nEND:VCARD\n`;

it("[IMP-3] two concurrent first imports of a source go into one connection", async () => {
  const vault = await createVault("sqlite");
  const owner = await openOwner(vault, () => 1000);
  const planImport = async (label?: string) => {
    const { claims } = await detect(createMemoryTree({ "a.vcf": buildCard("Ada") + buildCard("Ben") }, 1000), formats);
    const [found] = claims;
    if (found === undefined) throw new Error("nothing was found");
    const connection = chooseConnection(await owner.connections.list(), found.importer, { label });
    return planPart(owner, found.importer, found.claim, answers, connection);
  };
  try {
    const plans = [await planImport(), await planImport(), await planImport("Work")];
    const used: string[] = [];
    for (const [n, plan] of plans.entries()) {
      const part = await prepareConnection(owner, plan);
      used.push(part.connection.id);
      await storePart(owner, part, { answers, only: [], importId: `imp_${n}` });
    }
    expect(used).toEqual(["vcard", "vcard", "vcard-2"]);
    expect(Object.keys(indexContent(await listRecords(owner)))).toHaveLength(4);
  } finally {
    await vault.drop();
  }
});
