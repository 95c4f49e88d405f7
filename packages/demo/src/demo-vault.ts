import type { DemoVault } from "./demo-types.ts";
import type { Drafts } from "./drafts.ts";
import { everydayAssistant } from "./everyday/assistant.ts";
import { everydayCalendar } from "./everyday/calendar.ts";
import { everydayChat } from "./everyday/chat.ts";
import { everydayNotes } from "./everyday/notes.ts";
import { orderMails } from "./everyday/order-mails.ts";
import { everydayPrivateMail } from "./everyday/private-mail.ts";
import { everydayPurchases } from "./everyday/purchases.ts";
import { everydayWorkMail } from "./everyday/work-mail.ts";
import { timeZone } from "./local-time.ts";
import { assistantManifest } from "./manifests/assistant.ts";
import { calendarManifest } from "./manifests/calendar.ts";
import { chatManifest } from "./manifests/chat.ts";
import { mailManifest } from "./manifests/mail.ts";
import { notesManifest } from "./manifests/notes.ts";
import { purchasesManifest } from "./manifests/purchases.ts";
import { random, seedFrom } from "./random.ts";
import { talkRecords, turnRecords } from "./records/assistant.ts";
import { calendarRecords, eventRecords } from "./records/calendar.ts";
import { chatRecords, conversationRecords } from "./records/chat.ts";
import { mailRecords } from "./records/mail.ts";
import { attachmentRecords, noteRecords } from "./records/notes.ts";
import { itemRecords, orderRecords } from "./records/purchases.ts";
import { Script } from "./script.ts";
import { stories } from "./stories/all-stories.ts";

export type { DemoBlob, DemoRecord, DemoVault } from "./demo-types.ts";

/** One invented household's year in seven connections. The seed changes the everyday life, never the stories. */
export function demoVault(seed = 1): DemoVault {
  const { mails, chats, events, orders, talks, notes } = writeYear(seed);
  const mailbox = (box: "private" | "work") => mails.filter((mail) => mail.box === box);
  return {
    timeZone,
    manifests: [mailManifest, chatManifest, calendarManifest, purchasesManifest, assistantManifest, notesManifest],
    connections: [
      {
        connectorKey: "mail",
        connectionId: "cin_mail_ada",
        label: "Ada's private mail",
        streams: () => [{ stream: "messages", records: mailRecords(mailbox("private")) }],
      },
      {
        connectorKey: "mail",
        connectionId: "cin_mail_work",
        label: "Ada's work mail",
        streams: () => [{ stream: "messages", records: mailRecords(mailbox("work")) }],
      },
      {
        connectorKey: "chat",
        connectionId: "cin_chat_ada",
        label: "Chat",
        streams: () => [
          { stream: "conversations", records: conversationRecords(chats) },
          { stream: "messages", records: chatRecords(chats) },
        ],
      },
      {
        connectorKey: "calendar",
        connectionId: "cin_calendar_home",
        label: "Family calendar",
        streams: () => [
          { stream: "calendars", records: calendarRecords() },
          { stream: "events", records: eventRecords(events) },
        ],
      },
      {
        connectorKey: "purchases",
        connectionId: "cin_purchases_ada",
        label: "Purchases",
        streams: () => [
          { stream: "orders", records: orderRecords(orders) },
          { stream: "order_items", records: itemRecords(orders) },
        ],
      },
      {
        connectorKey: "assistant",
        connectionId: "cin_assistant_ada",
        label: "AI conversations",
        streams: () => [
          { stream: "conversations", records: talkRecords(talks) },
          { stream: "messages", records: turnRecords(talks) },
        ],
      },
      {
        connectorKey: "notes",
        connectionId: "cin_notes_ada",
        label: "Notes",
        streams: (blob) => [
          { stream: "notes", records: noteRecords(notes) },
          { stream: "attachments", records: attachmentRecords(notes, blob) },
        ],
      },
    ],
  };
}

/** What the year is made of, before it becomes records. */
export function writeYear(seed = 1): Drafts {
  const year: Drafts = { mails: [], chats: [], events: [], orders: [], talks: [], notes: [] };
  const add = (script: Script) => {
    for (const kind of Object.keys(year) as (keyof Drafts)[]) (year[kind] as unknown[]).push(...script.drafts[kind]);
  };
  for (const story of stories) {
    const script = new Script(random(seedFrom(story.name)));
    story(script);
    add(script);
  }
  const everyday = {
    everydayChat,
    everydayPurchases,
    everydayPrivateMail,
    everydayWorkMail,
    everydayCalendar,
    everydayAssistant,
    everydayNotes,
  };
  for (const [name, write] of Object.entries(everyday)) {
    const dice = random(seedFrom(name, seed));
    const script = new Script(dice);
    write(script, dice);
    add(script);
  }
  const dice = random(seedFrom("order mails", seed));
  const script = new Script(dice);
  orderMails(script, dice, year.orders);
  add(script);

  const inOrder = <T>(drafts: T[], time: (draft: T) => string) =>
    drafts.sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0));
  inOrder(year.mails, (mail) => mail.at);
  inOrder(year.chats, (chat) => chat.at);
  inOrder(year.events, (event) => event.start);
  inOrder(year.orders, (order) => order.at);
  inOrder(year.talks, (talk) => talk.at);
  inOrder(year.notes, (note) => note.updated);
  return year;
}
