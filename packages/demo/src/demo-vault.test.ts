import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { findField, findStream } from "@pdpp/contract/declaration";
import { compileRecordCheck, findForeignKeyHolder, parseManifest } from "@pdpp/contract/manifest";
import { describe, expect, test } from "vitest";
import { type DemoRecord, demoVault, readBlobs, readRecords } from "./demo-vault.ts";

const streams = new Map<string, DemoRecord[]>(
  demoVault.connections.flatMap(({ connectionId, streams }) =>
    streams.map((stream) => [`${connectionId}/${stream}`, [...readRecords(connectionId, stream)]]),
  ),
);
const blobs = demoVault.connections.flatMap((connection) => [...readBlobs(connection)]);
const connectors = new Map(demoVault.manifests.map((manifest) => [manifest.connector_key, parseManifest(manifest)]));
const readData = (name: string) => streams.get(name)!.map((record) => record.data);
const find = (name: string, test: (data: JsonObject) => boolean) => {
  const found = readData(name).find(test);
  if (!found) throw new Error(`no such record in ${name}`);
  return found;
};
const cents = (value: unknown) => Math.round((value as number) * 100);

const declaredStreams = demoVault.connections.flatMap((connection) => {
  const connector = connectors.get(connection.connectorKey)!;
  return connector.streams.map((stream) => ({
    connection,
    connector,
    stream,
    name: `${connection.connectionId}/${stream.name}`,
  }));
});

describe("the demo vault", () => {
  test("lists the streams that its manifests declare", () => {
    expect([...streams.keys()].sort()).toEqual(declaredStreams.map(({ name }) => name).sort());
  });

  test("has about three thousand records within its year", () => {
    const all = [...streams.values()].flat();
    expect(all.length).toBeGreaterThan(2700);
    expect(all.length).toBeLessThan(3600);
    const outside = all.filter(
      (record) => record.emitted_at < "2025-11-01" || record.emitted_at > "2026-11-01T02:00:00Z",
    );
    expect(outside.map((record) => record.data)).toEqual([]);
  });

  test("has a long letter with an answer in the middle", () => {
    const { body_text: body } = find("cin_mail_ada/messages", (mail) =>
      String(mail.subject).startsWith("Lindenufer 14:"),
    );
    const position = String(body).indexOf("must stay at plus 3 degrees") / String(body).length;
    expect(String(body).length).toBeGreaterThan(3000);
    expect(String(body).length).toBeLessThan(6000);
    expect([position > 0.3, position < 0.7]).toEqual([true, true]);
  });

  test("uses reserved domain names only", () => {
    const text = JSON.stringify([...streams]) + JSON.stringify(demoVault.manifests);
    const hosts = [...text.matchAll(/(?:@|https?:\/\/)([a-z0-9.-]+\.[a-z]{2,})/gi)].map((match) =>
      match[1]!.toLowerCase(),
    );
    expect(hosts.length).toBeGreaterThan(1000);
    expect(
      new Set(hosts.filter((host) => !/(^|\.)example\.(com|org|net)$/.test(host) && host !== "json-schema.org")),
    ).toEqual(new Set());
  });

  test("has texts in many languages and scripts", () => {
    const text = JSON.stringify([...streams]);
    for (const script of [
      /\p{Script=Han}/u,
      /\p{Script=Hiragana}/u,
      /\p{Script=Arabic}/u,
      /\p{Script=Thai}/u,
      /\p{M}/u,
      /\p{Extended_Pictographic}/u,
      /[äöüß]/,
      /[éèç]/,
    ]) {
      expect(text).toMatch(script);
    }
  });

  test("rarely repeats a text", () => {
    const texts = readData("cin_chat_ada/messages").map((message) => message.text as string);
    expect(new Set(texts).size / texts.length).toBeGreaterThan(0.8);
    for (const box of ["cin_mail_ada/messages", "cin_mail_work/messages"]) {
      const bodies = readData(box).map((mail) => mail.body_text as string);
      expect(new Set(bodies).size / bodies.length).toBeGreaterThan(0.95);
    }
  });
});

describe.each(declaredStreams)("$name", ({ connection, connector, stream, name }) => {
  const records = streams.get(name)!;

  test("has records that match its schema", () => {
    const check = compileRecordCheck(stream);
    const errors = records.flatMap((record) => check(record.data) ?? []);
    expect(records.length).toBeGreaterThan(0);
    expect(errors).toEqual([]);
    expect(stream.cursorField === undefined || findField(stream, stream.cursorField) !== undefined).toBe(true);
  });

  test("has unique keys that equal its primary key", () => {
    const keys = records.map((record) => JSON.stringify([record.key].flat()));
    expect(keys).toEqual(records.map((record) => JSON.stringify(stream.primaryKey.map((field) => record.data[field]))));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test("has earlier versions of records that exist and differ", () => {
    if (!connection.earlier.includes(stream.name)) return;
    const check = compileRecordCheck(stream);
    const versions = [...readRecords(connection.connectionId, `${stream.name}.earlier`)];
    expect(versions.length).toBeGreaterThan(0);
    for (const { key, emitted_at: at, data } of versions) {
      const current = records.find((record) => JSON.stringify(record.key) === JSON.stringify(key))!;
      expect(check(data) ?? []).toEqual([]);
      expect(at < current.emitted_at).toBe(true);
      expect(data).not.toEqual(current.data);
    }
  });

  test("refers only to records that exist", () => {
    for (const relationship of stream.relationships) {
      const related = findStream(connector, relationship.stream)!;
      const holdsKey = findForeignKeyHolder(stream, related, relationship) === "this";
      const from = holdsKey ? records : streams.get(`${connection.connectionId}/${related.name}`)!;
      const to = holdsKey ? streams.get(`${connection.connectionId}/${related.name}`)! : records;
      const known = new Set(to.map((record) => String(record.key)));
      const pointers = from.map((record) => record.data[relationship.foreignKey]).filter((value) => value !== null);
      expect(pointers.length).toBeGreaterThan(0);
      expect(pointers.filter((value) => !known.has(String(value)))).toEqual([]);
    }
  });
});

describe("the stories", () => {
  test("an order's total equals the sum of its items and the amount in its mails", () => {
    const items = readData("cin_purchases_ada/order_items");
    const mails = readData("cin_mail_ada/messages");
    for (const order of readData("cin_purchases_ada/orders")) {
      const lines = items.filter((item) => item.order_id === order.order_id);
      const sum = lines.reduce((total, item) => total + cents(item.line_amount), 0);
      expect(cents(order.subtotal_amount)).toBe(sum);
      expect(cents(order.total_amount)).toBe(sum + cents(order.shipping_amount) - cents(order.discount_amount));
      const confirmation = mails.find(
        (mail) =>
          (mail.subject as string).includes(order.order_id as string) &&
          (mail.body_text as string).includes("  Total  "),
      );
      if (confirmation)
        expect(confirmation.body_text).toContain(
          `  Total  ${(order.total_amount as number).toFixed(2)} ${order.currency}`,
        );
    }
  });

  test("the boiler costs the same in the mail, the bank's mail, the note and the PDF", () => {
    const invoice = find("cin_mail_ada/messages", (mail) => mail.subject === "Rechnung R-2026-0117");
    const paid = find("cin_mail_ada/messages", (mail) =>
      String(mail.body_text).includes("Verwendungszweck: R-2026-0117"),
    );
    const note = find("cin_notes_ada/notes", (entry) => entry.title === "Boiler (Calidor 20)");
    const file = Buffer.from(blobs.find((blob) => blob.mimeType === "application/pdf")!.bytes).toString("latin1");
    for (const text of [invoice.body_text, paid.body_text, file]) expect(text).toContain("486,71");
    expect(note.body).toContain("486.71");
    expect((invoice.attachments as JsonObject[])[0]!.size_bytes).toBe(file.length);
  });

  test("the holiday was paid in two instalments", () => {
    const paid = readData("cin_purchases_ada/orders").filter((order) => String(order.order_id).startsWith("GOE-77213"));
    expect(paid.map((order) => order.total_amount)).toEqual([504, 1176]);
    expect(
      find("cin_calendar_home/events", (event) => String(event.description).includes("GOE-77213")).title,
    ).toContain("Morvanec");
  });

  test("a conversation's message count is correct", () => {
    for (const connection of ["cin_chat_ada", "cin_assistant_ada"]) {
      for (const conversation of readData(`${connection}/conversations`)) {
        const own = readData(`${connection}/messages`).filter((message) => message.conversation_id === conversation.id);
        expect(conversation.message_count).toBe(own.length);
      }
    }
  });

  test("the assistant's answers are long, and one is very long", () => {
    const sizes = readData("cin_assistant_ada/messages").map((message) => message.content_chars as number);
    expect(sizes.filter((size) => size >= 60_000)).toHaveLength(1);
    expect(sizes.filter((size) => size >= 2_000 && size <= 12_000).length).toBeGreaterThan(20);
  });
});

describe("the files", () => {
  test("blob references have the hash and size of their file", () => {
    const references = [...streams.values()].flat().flatMap(({ data }) => data.blob_ref ?? []);
    const expected = blobs.map(({ bytes, mimeType }) => {
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      return { blob_id: `blob_sha256_${sha256}`, mime_type: mimeType, size_bytes: bytes.length, sha256 };
    });
    expect(references).toEqual(expected);
  });

  test("pictures are PNGs of 320 by 240, and photos of 640 by 480", () => {
    const pictures = blobs.filter((blob) => blob.mimeType === "image/png").map((blob) => Buffer.from(blob.bytes));
    expect(pictures.length).toBeGreaterThan(15);
    for (const picture of pictures) {
      expect(picture.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
      expect(["320 x 240", "640 x 480"]).toContain(`${picture.readUInt32BE(16)} x ${picture.readUInt32BE(20)}`);
      expect(picture.subarray(-8, -4).toString("latin1")).toBe("IEND");
    }
  });

  test("the invoice is a PDF with a correct cross-reference table", () => {
    const file = Buffer.from(blobs.find((blob) => blob.mimeType === "application/pdf")!.bytes).toString("latin1");
    expect(file.startsWith("%PDF-1.4")).toBe(true);
    const start = Number(/startxref\n(\d+)\n%%EOF/.exec(file)![1]);
    expect(file.slice(start, start + 4)).toBe("xref");
    const offsets = [...file.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map((match) => Number(match[1]));
    expect(offsets.map((offset, index) => file.slice(offset).startsWith(`${index + 1} 0 obj`))).toEqual(
      offsets.map(() => true),
    );
    const stream = /\/Length (\d+) >>\nstream\n([\s\S]*?)\nendstream/.exec(file)!;
    expect(stream[2]!.length).toBe(Number(stream[1]));
  });
});
