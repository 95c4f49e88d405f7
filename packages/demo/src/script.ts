import { createHash } from "node:crypto";
import type {
  CalendarKey,
  ChatDraft,
  Drafts,
  EventDraft,
  ItemDraft,
  MailDraft,
  NoteDraft,
  OrderDraft,
} from "./drafts.ts";
import { addDays, addMinutes, germanDate, longDate } from "./local-time.ts";
import { ada, type PersonKey, person, type RoomKey, rooms } from "./people.ts";
import type { Random } from "./random.ts";

type Optional<T, K extends keyof T> = Omit<T, K> & Partial<Pick<T, K>>;
type MailInput = Optional<Omit<MailDraft, "id" | "thread">, "cc" | "labels" | "files" | "to">;
type EventInput = Pick<EventDraft, "title" | "start"> & Partial<Omit<EventDraft, "guests">> & { guests?: string[] };
type Item = readonly [
  name: string,
  category: string,
  quantity: number,
  cents: number,
  attributes?: ItemDraft["attributes"],
];
type OrderInput = Pick<OrderDraft, "id" | "shop" | "at"> &
  Partial<Omit<OrderDraft, "items">> & { items: readonly Item[] };
type NoteInput = Pick<NoteDraft, "at" | "title" | "notebook" | "body"> & Partial<NoteDraft>;

/** Identifiers come from content, so that a record keeps its own while others are written around it. */
function idFor(prefix: string, ...parts: string[]): string {
  return `${prefix}_${createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 12)}`;
}

/** Collects what happens. One script per story, so that stories cannot disturb one another. */
export class Script {
  readonly #random: Random;
  readonly drafts: Drafts = { mails: [], chats: [], events: [], orders: [], talks: [], notes: [] };

  constructor(random: Random) {
    this.#random = random;
  }

  mail(input: MailInput): MailDraft {
    const id = idFor("ml", input.box, input.at, input.from, input.subject);
    const sender = input.from === "ada" ? ada(input.box, input.at) : person(input.from);
    const body = sender.signature ? `${input.body.trim()}\n\n${sender.signature}` : input.body.trim();
    const thread = input.replyTo?.thread ?? id;
    const draft = { to: ["ada"], cc: [], labels: [], files: [], ...input, id, body, thread };
    this.drafts.mails.push(draft);
    return draft;
  }

  /** Answers a mail, quoting it the way mail programs do. */
  reply(to: MailDraft, at: string, from: string, body: string, extra: Partial<MailInput> = {}): MailDraft {
    const writer = person(from);
    const original = person(to.from).name;
    const time = to.at.slice(11);
    const header =
      writer.quotes === "de"
        ? `Am ${germanDate(to.at)} um ${time} schrieb ${original}:`
        : writer.quotes === "fr"
          ? `Le ${germanDate(to.at).replaceAll(".", "/")} à ${time}, ${original} a écrit :`
          : `On ${longDate(to.at)} at ${time}, ${original} wrote:`;
    // Only the last mail is quoted: longer tails would drown the words that were new.
    const fresh = to.body.split("\n\n—\n")[0]!;
    const quoted = fresh.split("\n").map((line) => `> ${line}`);
    const sender = from === "ada" ? ada(to.box, at) : writer;
    const signature = sender.signature ? `\n\n${sender.signature}` : "";
    const id = idFor("ml", to.box, at, from, to.subject);
    const draft: MailDraft = {
      id,
      box: to.box,
      at,
      from,
      to: to.from === from ? to.to : [to.from],
      cc: to.cc.filter((name) => name !== from),
      subject: /^(Re|AW|RE) ?:/.test(to.subject)
        ? to.subject
        : `${writer.quotes === "de" ? "AW" : "Re"}: ${to.subject}`,
      body: `${body.trim()}${signature}\n\n—\n${header}\n${quoted.join("\n")}`,
      thread: to.thread,
      replyTo: to,
      labels: to.labels,
      files: [],
    };
    Object.assign(draft, extra);
    this.drafts.mails.push(draft);
    return draft;
  }

  /**
   * A dialogue, one line per message: `ada> text`. `@18:20` moves the clock, `@+1 07:15` also the day, `↵` breaks a line,
   * and ` ::❤️ jonas` at the end adds a reaction. Lines in between follow within minutes.
   */
  chat(room: RoomKey, at: string, dialogue: string): void {
    let now = at;
    const members: readonly string[] = rooms[room].members;
    let previous: ChatDraft | undefined;
    for (const line of dialogue.trim().split("\n")) {
      const clock = /^@(?:\+(\d+) )?(\d\d:\d\d)$/.exec(line.trim());
      if (clock) {
        now = `${addDays(now.slice(0, 10), Number(clock[1] ?? 0))} ${clock[2]}`;
        continue;
      }
      const said = /^(\w+)(\^?)> (.*)$/.exec(line);
      if (!said || !members.includes(said[1]!)) throw new Error(`demo vault: ${room} cannot say: ${line}`);
      const [text, ...reactions] = said[3]!.split(" ::");
      const draft: ChatDraft = {
        id: idFor("cm", room, now, said[1]!, text!),
        room,
        at: now,
        from: said[1] as PersonKey,
        text: text!.replaceAll("↵", "\n"),
        reactions: reactions.map((entry) => {
          const [emoji, by] = entry.trim().split(" ");
          return { emoji: emoji!, by: person(by!).name };
        }),
        ...(said[2] && previous ? { replyTo: previous.id } : {}),
      };
      this.drafts.chats.push(draft);
      previous = draft;
      now = addMinutes(now, this.#random.int(1, 5));
    }
  }

  event(input: EventInput): EventDraft {
    const draft: EventDraft = {
      id: idFor("ev", input.start, input.title),
      calendar: "family" as CalendarKey,
      length: 60,
      allDay: false,
      location: null,
      description: null,
      organizer: "Ada Brambleby",
      status: "confirmed",
      recurrence: null,
      made: `${addDays(input.start.slice(0, 10), -this.#random.int(3, 16))} ${this.#random.pick(["08:12", "12:40", "19:55", "21:31"])}`,
      ...input,
      guests: (input.guests ?? []).map((guest) => {
        const [who, response] = guest.split(":");
        return { name: person(who!).name, response: response ?? "accepted" };
      }),
    };
    this.drafts.events.push(draft);
    return draft;
  }

  order(input: OrderInput): OrderDraft {
    const draft: OrderDraft = {
      shipping: 0,
      discount: 0,
      refund: 0,
      currency: "EUR",
      status: "delivered",
      delivered: `${addDays(input.at.slice(0, 10), this.#random.int(2, 4))} ${this.#random.pick(["10:22", "11:47", "14:05", "16:38"])}`,
      payment: "card ending 4408",
      note: null,
      mails: true,
      ...input,
      items: input.items.map(([name, category, quantity, cents, attributes]) => ({
        name,
        category,
        quantity,
        cents,
        ...(attributes ? { attributes } : {}),
      })),
    };
    this.drafts.orders.push(draft);
    return draft;
  }

  talk(at: string, title: string, topics: string[], turns: string[], model = "lantern-2"): void {
    this.drafts.talks.push({
      id: idFor("ac", at, title),
      at,
      title,
      topics,
      turns: turns.map((turn) => turn.trim()),
      model,
    });
  }

  note(input: NoteInput): NoteDraft {
    const draft: NoteDraft = {
      id: idFor("nt", input.at, input.title),
      updated: input.at,
      tags: [],
      checklist: null,
      pinned: false,
      files: [],
      ...input,
      body: input.body.trim(),
    };
    this.drafts.notes.push(draft);
    return draft;
  }
}

export function orderSubtotal(order: OrderDraft): number {
  return order.items.reduce((sum, item) => sum + item.quantity * item.cents, 0);
}

export function orderTotal(order: OrderDraft): number {
  return orderSubtotal(order) + order.shipping - order.discount;
}
