import { drawJpeg, drawPng } from "@pdpp/test-support/pictures/draw";
import { createVault, surfaceEngines, type TestVault } from "@pdpp/test-support/vaults/new-vault";
import { findLink, readElementText, signInOwner, site } from "@pdpp/test-support/web/owner-pages";
import type { Person } from "@pdpp/test-support/web/person";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mail } from "#importers/formats/mail/mail";
import { readPictureHeader } from "#importers/pictures/picture-header";
import { createMemoryTree, importTree, openOwner } from "../../importers/support.ts";
import { type Stage, stage } from "../../oauth/agent.ts";

const hostile = `<script>hit()</script><meta http-equiv="refresh" content="0;url=https://elsewhere.example"><p onclick="hit()">Dear <b>Ada</b></p>
<img src="https://elsewhere.example/pixel.gif"><img src="//elsewhere.example/2.gif"><a href="https://elsewhere.example/sale">sale</a><a href="javascript:hit()">bad</a>`;

const buildMail = (id: string, day: number, headers: readonly string[], parts: readonly string[]): string =>
  [
    `Message-ID: <${id}@x.example>`,
    `Date: ${day} Feb 2026 08:30:00 +0000`,
    ...headers,
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    ...parts.flatMap((part) => ["--b", part]),
    "--b--",
  ].join("\n");
const textPart = (text: string): string => `Content-Type: text/plain; charset=utf-8\n\n${text}`;

const filePart = (type: string, name: string, id: string, bytes: Uint8Array): string =>
  `Content-Type: ${type}; name="${name}"\nContent-ID: <${id}>\nContent-Disposition: inline; filename="${name}"\n` +
  `Content-Transfer-Encoding: base64\n\n${Buffer.from(bytes).toString("base64")}`;
const logo = drawPng(8, 8, (x) => (x < 4 ? [200, 30, 30] : [30, 30, 200]));
/** More than is embedded as it is. */
const photo = await drawJpeg(1500, 1000, (x, y) => [(x * 7 + y * 13) % 256, (x * y) % 251, (x ^ y) % 256]);
const withPictures = `<p>Look</p><img alt="logo" src="cid:logo%40x"><img src="CID:photo@x"><img src="cid:gone@x">
<img src="cid:fake@x"><img src="https://elsewhere.example/p.gif">`;
const manyPictures = '<img src="cid:large@x">'.repeat(400);

const bruno = "From: Bruno Vask <bruno@x.example>";
const noor = "From: Noor Achterwald <noor@tidewater.example>";
const ilse = "From: Ilse Tannhorst <ilse@x.example>";
const ada = "From: Ada Brambleby <ada@x.example>";
const inThread = "References: <root@x.example>";
const mails = {
  "1.eml": buildMail(
    "root",
    19,
    [noor, "To: Ada Brambleby <ada@x.example>", "Subject: Our offer"],
    [textPart("We'd love to have you.")],
  ),
  "2.eml": buildMail(
    "second",
    20,
    [
      ada,
      "To: Noor Achterwald <noor@tidewater.example>",
      "Cc: Jonas <jonas@x.example>",
      inThread,
      "Subject: Re: Our offer",
    ],
    [
      textPart(
        "Thank you for the foghorn.\n\nOn 19 Feb 2026, Noor wrote:\n> We'd love to <b>have</b> you.\n>> deeper lighthouse\n",
      ),
    ],
  ),
  "3.eml": buildMail(
    "third",
    24,
    [noor, "To: Ada Brambleby <ada@x.example>", inThread, "Subject: Re: Our offer", "X-Gmail-Labels: career,important"],
    [
      textPart("plain part"),
      `Content-Type: text/html; charset=utf-8\n\n${hostile}`,
      'Content-Type: application/pdf; name="offer.pdf"\nContent-Disposition: attachment; filename="offer.pdf"\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjQK',
    ],
  ),
  "4.eml": buildMail(
    "pictures",
    26,
    [ilse, "To: Ada Brambleby <ada@x.example>", "Subject: Pictures"],
    [
      `Content-Type: text/html; charset=utf-8\n\n${withPictures}`,
      filePart("image/png", "logo.png", "logo@x", logo),
      filePart("image/jpeg", "photo.jpg", "photo@x", photo),
      filePart("image/png", "fake.png", "fake@x", Buffer.from("<svg onload='hit()'/>")),
    ],
  ),
  "5.eml": buildMail(
    "many",
    27,
    [ilse, "To: Ada Brambleby <ada@x.example>", "Subject: Many pictures"],
    [
      `Content-Type: text/html; charset=utf-8\n\n${manyPictures}`,
      filePart("image/png", "large.png", "large@x", Buffer.concat([logo, Buffer.alloc(50_000)])),
    ],
  ),
  "6.eml": buildMail("untitled", 28, [bruno], [textPart("Good morning")]),
};

describe.each(surfaceEngines)("mails, on %s", (engine) => {
  let vault: TestVault;
  let on: Stage;
  let person: Person;
  let connection: string;
  beforeAll(async () => {
    vault = await createVault(engine);
    const owner = await openOwner(vault, Date.now);
    await owner.setTimeZone("Europe/Berlin");
    await importTree(owner, createMemoryTree(mails, 0, 50_000), { importers: [mail] });
    connection = (await owner.connections.list())[0]?.connection_id ?? "";
    on = stage(vault);
    person = await signInOwner(on);
  });
  afterAll(() => vault.drop());
  const getUrl = (page: string, key: string, more = "") =>
    `${site}/${page}?id=${encodeURIComponent(`${connection}/messages:${key}@x.example`)}${more}`;
  const openMail = (key: string, more = "") => person.open(getUrl("mail", key, more));

  it("[CSL-108] shows the header, attachments and labels, and the rest of the thread around it", async () => {
    const page = await openMail("second");
    expect(readElementText(page, "h1")).toBe("Re: Our offer");
    const { html } = page;
    for (const shown of ["Ada Brambleby", "ada@x.example", "noor@tidewater.example", "Friday, 20 Feb 2026, 09:30"])
      expect(html).toContain(shown);
    expect(html).toMatch(/Cc<\/span> <bdi>Jonas/);
    expect(html).toMatch(
      /3 mails with <bdi>Ada Brambleby and Noor Achterwald|3 mails with <bdi>Noor Achterwald and Ada Brambleby/,
    );
    const rows = [...html.matchAll(/<a href="mail\?id=[^"]*messages%3A(\w+)[^"]*#mail"/g)].map(([, key]) => key);
    expect(rows).toEqual(["root", "third"]);
    const third = await openMail("third");
    expect(third.html).toMatch(/class="tag"><bdi>career/);
    expect(third.html).toMatch(/<a class="chip" href="file\?.*offer\.pdf.*PDF, \d+ bytes/);
    expect((await openMail("none")).status).toBe(404);
  });

  it("[CSL-108] says that a mail has no subject", async () => {
    expect(readElementText(await openMail("untitled"), "h1")).toBe("No subject");
  });

  it("[CSL-141] says who the sender is, once people are known", async () => {
    expect((await openMail("third")).html).not.toContain("Open person");
    const owner = await openOwner(vault, Date.now);
    await owner.people.derive();
    const page = await openMail("third");
    expect(page.html).toMatch(
      /<h2><bdi>Noor Achterwald<\/bdi><\/h2><p class="soft">3 mails\. Last contact: <time datetime="2026-02-24"/,
    );
    const opened = await person.open(findLink(page, "Open person"));
    expect(readElementText(opened, "h1")).toBe("Noor Achterwald");
    const streams = ["messages"].map((name) => ({ name, connection_ids: [connection] }));
    const request = { client: { name: "Reader" }, sources: [{ connector_key: "mail-files", streams }] };
    const { grants } = await owner.grants.issue(request);
    const seen = await person.open(getUrl(`as/${grants[0]?.grant_id}/mail`, "third"));
    expect(seen.status).toBe(200);
    expect(seen.html).not.toContain("Open person");
  });

  it("[CSL-109] folds quotes, and opens those that hold a word of the search", async () => {
    const { html } = await openMail("second");
    expect(html.match(/<details class="quoted">/g)?.length).toBe(2);
    expect(html).toMatch(/On 19 Feb 2026, Noor wrote<\/bdi>.* 2 lines/);
    expect(html).toContain("&lt;b&gt;have&lt;/b&gt;");
    const found = await openMail("second", "&q=lighthouse");
    expect(found.html).toContain("<mark>lighthouse</mark>");
    expect(found.html.match(/<details class="quoted" open="">/g)?.length).toBe(2);
    expect(findLink(found, "Results for")).toBe(`${site}/explore?q=lighthouse`);
  });

  it("[CSL-110] shows HTML in a frame that loads and runs nothing, and says what is missing", async () => {
    const page = await openMail("third");
    expect(page.html).toMatch(/<iframe class="mail-frame short" sandbox="" src="mail\/html\?id=/);
    expect(page.html).toContain("2 remote images were not loaded. Scripts, forms and embedded pages were removed.");
    expect(page.html).toContain("1 link in this mail");
    const { fetch } = on;
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const read = (url: string) => fetch(new Request(url, { headers: { cookie } }));
    const policy = (await read(getUrl("mail", "third"))).headers.get("content-security-policy");
    expect(policy).toContain("frame-src 'self'");
    expect((await read(getUrl("mail", "second"))).headers.get("content-security-policy")).not.toContain("frame-src");
    const frame = await read(getUrl("mail/html", "third"));
    expect(frame.headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
    );
    expect(frame.headers.get("x-frame-options")).toBe("SAMEORIGIN");
    const text = await frame.text();
    expect(text).toContain("<p>Dear <b>Ada</b></p>");
    expect(text).not.toMatch(/hit|elsewhere|refresh|href/);
    expect((await read(getUrl("mail/html", "second"))).status).toBe(404);
    const plain = await person.open(findLink(page, "Plain text"));
    expect(plain.html).toContain("plain part");
    expect(plain.html).not.toContain("<iframe");
    const source = await person.open(findLink(page, "HTML source"));
    expect(source.html).toContain("&lt;script&gt;hit()&lt;/script&gt;");
    expect(source.html).not.toContain("<script>hit");
  });

  it("[CSL-111] shows attached pictures in the text, each as data, and says what is missing", async () => {
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const read = (url: string) => on.fetch(new Request(url, { headers: { cookie } }));
    const page = await openMail("pictures");
    expect(page.html).toContain("1 remote image was not loaded. 1 picture of the text is missing.");
    const frame = await read(getUrl("mail/html", "pictures"));
    expect(frame.headers.get("content-security-policy")).toContain("img-src data:;");
    const html = await frame.text();
    const shown = [...html.matchAll(/<img[^>]* src="data:(image\/\w+);base64,([^"]+)"/g)];
    expect(shown.map(([, type]) => type)).toEqual(["image/png", "image/jpeg"]);
    expect(Buffer.from(shown[0]?.[2] ?? "", "base64").equals(logo)).toBe(true);
    const small = Buffer.from(shown[1]?.[2] ?? "", "base64");
    expect(photo.length).toBeGreaterThan(400_000);
    expect(readPictureHeader(small)).toEqual({ type: "jpeg", width: 480, height: 320 });
    expect(html).not.toMatch(/cid:|elsewhere|hit\(/i);
    // The same picture 400 times would be a page of 27 MB.
    const many = await (await read(getUrl("mail/html", "many"))).text();
    expect(many.length).toBeLessThan(100_000);
  });

  it("[CSL-111] shows no picture through a grant that lacks the attachments or their files", async () => {
    const owner = await openOwner(vault, Date.now);
    const openFrame = async (attachments: readonly string[] | undefined) => {
      const streams = [
        { name: "messages", fields: ["id", "subject", "html", "sent_at"] },
        ...(attachments === undefined ? [] : [{ name: "attachments", fields: [...attachments] }]),
      ];
      const issued = await owner.grants.issue({
        client: { name: "Reader" },
        sources: [{ connector_key: "mail-files", streams }],
      });
      return (await person.open(getUrl(`as/${issued.grants[0]?.grant_id}/mail/html`, "pictures"))).html;
    };
    for (const fields of [undefined, ["id", "message_id", "name", "content_id"]]) {
      const html = await openFrame(fields);
      expect([html.includes("<p>Look</p>"), html.includes("data:image")]).toEqual([true, false]);
    }
    const all = ["id", "message_id", "name", "mime_type", "content_id", "sent_at", "blob_ref"];
    expect(await openFrame(all)).toContain("data:image/png");
  });

  it("[CSL-112] opens hits and table rows as mails, and leads to all fields", async () => {
    const found = await person.open(`${site}/explore?q=foghorn`);
    const opened = await person.open(findLink(found, "Re: Our offer"));
    expect(opened.url).toContain("/mail?id=");
    expect(opened.html).toContain("<mark>foghorn</mark>");
    expect((await person.open(findLink(opened, "All fields of this mail"))).url).toContain("/record?");
    const file = `${connection}/attachments:third@x.example/1`;
    expect((await person.open(`${site}/mail?id=${encodeURIComponent(file)}`)).url).toContain("/record?");
  });

  it("[CSL-112] shows a mail through a grant without what it lacks", async () => {
    const owner = await openOwner(vault, Date.now);
    const fields = ["id", "subject", "body_text", "sent_at"];
    const issued = await owner.grants.issue({
      client: { name: "Reader" },
      sources: [{ connector_key: "mail-files", streams: [{ name: "messages", fields }] }],
    });
    const base = `as/${issued.grants[0]?.grant_id}`;
    const page = await person.open(getUrl(`${base}/mail`, "third"));
    expect(page.html).toContain("plain part");
    for (const hidden of ["Noor", "tidewater", "career", "offer.pdf", "<iframe", "HTML source", "root@"])
      expect(page.html).not.toContain(hidden);
    expect((await person.open(getUrl(`${base}/mail/html`, "third"))).status).toBe(404);
  });
});
