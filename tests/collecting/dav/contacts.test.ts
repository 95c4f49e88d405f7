import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countChanges, createDavWorld, type DavWorld } from "./dav-world.ts";
import { contact, hasRadicale, type Radicale, radicaleMissing, startRadicale } from "./radicale.ts";

const photo = (text: string): string => `PHOTO;ENCODING=b;TYPE=JPEG:${Buffer.from(text).toString("base64")}`;

describe.skipIf(!hasRadicale)(`address books of Radicale${hasRadicale ? "" : ` (${radicaleMissing})`}`, () => {
  let server: Radicale;
  let world: DavWorld;
  beforeAll(async () => {
    server = await startRadicale();
    server.createAddressBook("family");
    server.createAddressBook("work");
    server.createCalendar("home");
    server.write("family", "ada.vcf", contact("ada", "Ada", ["EMAIL:ada@example.org", photo("one")]));
    server.write("work", "bo.vcf", contact("bo", "Bo"));
    world = await createDavWorld("carddav", { DAV_URL: `${server.url}ada/`, DAV_USER: "ada" });
  });
  afterAll(async () => {
    await world.drop();
    await server.stop();
  });
  const sync = async () => {
    const run = await world.sync();
    expect(run, JSON.stringify(run.error)).toMatchObject({ status: "succeeded" });
    return countChanges(run);
  };

  it("[COL-110] [COL-112] [COL-114] are followed with their photos", async () => {
    expect(await sync()).toEqual({ stored: 2, changed: 0, deleted: 0 });
    const { emails, photo: stored } = (await world.read()).get("ada") ?? {};
    expect(emails).toEqual(["ada@example.org"]);
    expect(stored).toMatchObject({ mime_type: "image/jpeg", size_bytes: 3 });
    expect((await world.sync()).tally.read).toBe(0);
    server.write("family", "ada.vcf", contact("ada", "Ada", ["EMAIL:ada@example.net", photo("other")]));
    server.remove("work", "bo.vcf");
    server.write("family", "bo.vcf", contact("bo", "Bo"));
    server.write("work", "cy.vcf", contact("cy", "Cy", ["TEL:+49 30 1"]));
    expect(await sync()).toEqual({ stored: 1, changed: 1, deleted: 0 });
    expect((await world.read()).get("ada")).toMatchObject({ emails: ["ada@example.net"], photo: { size_bytes: 5 } });
    server.remove("family", "bo.vcf");
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 1 });
    server.forgetTokens("work");
    server.remove("work", "cy.vcf");
    expect(await sync()).toEqual({ stored: 0, changed: 0, deleted: 1 });
    expect([...(await world.read()).keys()]).toEqual(["ada"]);
  });

  it("[COL-110] are found at the address of one of them, too", async () => {
    const one = await createDavWorld("carddav", { DAV_URL: `${server.url}ada/family/`, DAV_USER: "ada" });
    expect(await one.sync()).toMatchObject({ status: "succeeded", tally: { streams: { contacts: { stored: 1 } } } });
    await one.drop();
  });
});
