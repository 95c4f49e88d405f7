import { createHash } from "node:crypto";
import type { JsonObject } from "@pdpp/contract/declaration";
import { fieldOf, streamOf } from "@pdpp/contract/declaration";
import { compileRecordCheck, foreignKeyHolder, parseManifest } from "@pdpp/contract/manifest";
import { describe, expect, test } from "vitest";
import { type DemoBlob, type DemoRecord, type DemoVault, demoVault } from "./demo-vault.ts";
import { firstDay } from "./local-time.ts";

interface Collected {
  streams: Map<string, DemoRecord[]>;
  blobs: DemoBlob[];
}

function collect(vault: DemoVault): Collected {
  const streams = new Map<string, DemoRecord[]>();
  const blobs: DemoBlob[] = [];
  const keep = (blob: DemoBlob): JsonObject => {
    blobs.push(blob);
    const sha256 = createHash("sha256").update(blob.bytes).digest("hex");
    return { blob_id: `blob_sha256_${sha256}`, mime_type: blob.mimeType, size_bytes: blob.bytes.length, sha256 };
  };
  for (const connection of vault.connections) {
    for (const { stream, records } of connection.streams(keep)) {
      streams.set(`${connection.connectionId}/${stream}`, [...records]);
    }
  }
  return { streams, blobs };
}

const vault = demoVault();
const { streams, blobs } = collect(vault);
const declarations = new Map(vault.manifests.map((manifest) => [manifest.connector_key, parseManifest(manifest)]));
const dataOf = (name: string) => streams.get(name)!.map((record) => record.data);
const find = (name: string, test: (data: JsonObject) => boolean) => {
  const found = dataOf(name).find(test);
  if (!found) throw new Error(`no such record in ${name}`);
  return found;
};
const cents = (value: unknown) => Math.round((value as number) * 100);

const declared = vault.connections.flatMap((connection) => {
  const connector = declarations.get(connection.connectorKey)!;
  return connector.streams.map((stream) => ({
    connection,
    connector,
    stream,
    name: `${connection.connectionId}/${stream.name}`,
  }));
});

describe("the demo vault as a whole", () => {
  test("is the same for the same seed and another for another", () => {
    const again = collect(demoVault());
    expect(JSON.stringify([...again.streams])).toBe(JSON.stringify([...streams]));
    expect(
      again.blobs.map((blob) => Buffer.compare(blob.bytes, blobs.find((one) => one.name === blob.name)!.bytes)),
    ).toEqual(blobs.map(() => 0));
    expect(JSON.stringify([...collect(demoVault(2)).streams])).not.toBe(JSON.stringify([...streams]));
  });

  test("keeps the stories whatever the seed", () => {
    const other = collect(demoVault(99)).streams;
    const ids = (records: DemoRecord[]) => new Set(records.map((record) => String(record.key)));
    const story = find("cin_mail_ada/messages", (mail) => mail.subject === "Rechnung R-2026-0117").id as string;
    expect(ids(other.get("cin_mail_ada/messages")!)).toContain(story);
    expect(ids(other.get("cin_purchases_ada/orders")!)).toContain("GOE-77213-A");
  });

  test("has about three thousand records within its year", () => {
    const all = [...streams.values()].flat();
    expect(all.length).toBeGreaterThan(2700);
    expect(all.length).toBeLessThan(3600);
    const outside = all.filter((record) => record.emitted_at < firstDay || record.emitted_at > "2026-11-01T02:00:00Z");
    expect(outside.map((record) => record.data)).toEqual([]);
  });

  test("has one long letter, with what one looks for in the middle of it", () => {
    const { body_text: body } = find("cin_mail_ada/messages", (mail) =>
      String(mail.subject).startsWith("Lindenufer 14:"),
    );
    const place = String(body).indexOf("must stay at plus 3 degrees") / String(body).length;
    expect(String(body).length).toBeGreaterThan(3000);
    expect(String(body).length).toBeLessThan(6000);
    expect([place > 0.3, place < 0.7]).toEqual([true, true]);
  });

  test("is written in under a second and a half", () => {
    // The best of three: what else the machine does is not the vault's business.
    const times = [7, 8, 9].map((seed) => {
      const start = performance.now();
      collect(demoVault(seed));
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(1500);
  });

  test("names only reserved domains", () => {
    const text = JSON.stringify([...streams]) + JSON.stringify(vault.manifests);
    const hosts = [...text.matchAll(/(?:@|https?:\/\/)([a-z0-9.-]+\.[a-z]{2,})/gi)].map((match) =>
      match[1]!.toLowerCase(),
    );
    expect(hosts.length).toBeGreaterThan(1000);
    expect(
      new Set(hosts.filter((host) => !/(^|\.)example\.(com|org|net)$/.test(host) && host !== "json-schema.org")),
    ).toEqual(new Set());
  });

  test("speaks many languages, in many scripts", () => {
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

  test("rarely says the same thing twice", () => {
    const texts = dataOf("cin_chat_ada/messages").map((message) => message.text as string);
    expect(new Set(texts).size / texts.length).toBeGreaterThan(0.8);
    for (const box of ["cin_mail_ada/messages", "cin_mail_work/messages"]) {
      const bodies = dataOf(box).map((mail) => mail.body_text as string);
      expect(new Set(bodies).size / bodies.length).toBeGreaterThan(0.95);
    }
  });
});

describe.each(declared)("$name", ({ connection, connector, stream, name }) => {
  const records = streams.get(name)!;

  test("fits its declaration", () => {
    const check = compileRecordCheck(stream);
    const faults = records.flatMap((record) => check(record.data) ?? []);
    expect(records.length).toBeGreaterThan(0);
    expect(faults).toEqual([]);
    expect(stream.cursorField === undefined || fieldOf(stream, stream.cursorField) !== undefined).toBe(true);
  });

  test("has keys that are its primary key, each once", () => {
    const keys = records.map((record) => JSON.stringify([record.key].flat()));
    expect(keys).toEqual(records.map((record) => JSON.stringify(stream.primaryKey.map((field) => record.data[field]))));
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test("points only at records that exist", () => {
    for (const relationship of stream.relationships) {
      const related = streamOf(connector, relationship.stream)!;
      const holdsKey = foreignKeyHolder(stream, related, relationship) === "this";
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
  test("orders add up to their items, and the mails name the same sums", () => {
    const items = dataOf("cin_purchases_ada/order_items");
    const mails = dataOf("cin_mail_ada/messages");
    for (const order of dataOf("cin_purchases_ada/orders")) {
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

  test("the holiday was paid in two halves of the price", () => {
    const paid = dataOf("cin_purchases_ada/orders").filter((order) => String(order.order_id).startsWith("GOE-77213"));
    expect(paid.map((order) => order.total_amount)).toEqual([504, 1176]);
    expect(
      find("cin_calendar_home/events", (event) => String(event.description).includes("GOE-77213")).title,
    ).toContain("Morvanec");
  });

  test("counts of conversations are right", () => {
    for (const connection of ["cin_chat_ada", "cin_assistant_ada"]) {
      for (const conversation of dataOf(`${connection}/conversations`)) {
        const own = dataOf(`${connection}/messages`).filter((message) => message.conversation_id === conversation.id);
        expect(conversation.message_count).toBe(own.length);
      }
    }
  });

  test("the assistant's answers are long, and one text is very long", () => {
    const sizes = dataOf("cin_assistant_ada/messages").map((message) => message.content_chars as number);
    expect(sizes.filter((size) => size >= 60_000)).toHaveLength(1);
    expect(sizes.filter((size) => size >= 2_000 && size <= 12_000).length).toBeGreaterThan(20);
  });
});

describe("the files", () => {
  test("pictures are PNGs of 320 by 240", () => {
    const pictures = blobs.filter((blob) => blob.mimeType === "image/png").map((blob) => Buffer.from(blob.bytes));
    expect(pictures.length).toBeGreaterThan(15);
    for (const picture of pictures) {
      expect(picture.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
      expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([320, 240]);
      expect(picture.subarray(-8, -4).toString("latin1")).toBe("IEND");
    }
  });

  test("the invoice is a PDF whose table of objects is right", () => {
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
