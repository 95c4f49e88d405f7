import type { PersonKey, RoomKey } from "./people.ts";

/** What stories and everyday life write, before it becomes records. Times are local: "2026-01-12 06:48". */
export interface MailDraft {
  id: string;
  box: "private" | "work";
  at: string;
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  body: string;
  thread: string;
  replyTo?: MailDraft;
  labels: string[];
  files: MailFile[];
  list?: string;
}
interface MailFile {
  filename: string;
  mime_type: string;
  size_bytes: number;
  /** Where the story has the file itself. */
  bytes?: () => Uint8Array;
}
export interface ChatDraft {
  id: string;
  room: RoomKey;
  at: string;
  from: PersonKey;
  text: string;
  reactions: { emoji: string; by: string }[];
  replyTo?: string;
}
export type CalendarKey = "family" | "ada" | "work" | "school";
interface Recurrence {
  frequency: "daily" | "weekly" | "monthly" | "yearly";
  interval: number;
  by_day: string[];
  until: string;
  skipped: string[];
}
export interface EventDraft {
  id: string;
  calendar: CalendarKey;
  title: string;
  start: string;
  /** Minutes, or days when `allDay`. */
  length: number;
  allDay: boolean;
  location: string | null;
  description: string | null;
  organizer: string;
  guests: { name: string; response: string }[];
  status: "confirmed" | "tentative" | "cancelled";
  recurrence: Recurrence | null;
  made: string;
}
export interface ItemDraft {
  name: string;
  category: string;
  quantity: number;
  cents: number;
  attributes?: Record<string, string | number | string[]>;
}
export interface OrderDraft {
  id: string;
  shop: string;
  at: string;
  items: ItemDraft[];
  shipping: number;
  discount: number;
  refund: number;
  currency: string;
  status: "delivered" | "returned" | "partly_refunded" | "cancelled" | "completed";
  delivered: string | null;
  payment: string;
  note: string | null;
  /** False when the story writes its own mails about the order. */
  mails: boolean;
}
export interface TalkDraft {
  id: string;
  at: string;
  title: string;
  model: string;
  topics: string[];
  /** Owner and assistant in turn, the owner first. */
  turns: string[];
}
export interface NoteFile {
  filename: string;
  mimeType: string;
  caption: string;
  /** Made when asked for: pictures are the slow part of the vault. */
  bytes: () => Uint8Array;
}
export interface NoteDraft {
  id: string;
  at: string;
  updated: string;
  title: string;
  notebook: string;
  tags: string[];
  body: string;
  checklist: { text: string; done: boolean }[] | null;
  pinned: boolean;
  files: NoteFile[];
}

export interface Drafts {
  mails: MailDraft[];
  chats: ChatDraft[];
  events: EventDraft[];
  orders: OrderDraft[];
  talks: TalkDraft[];
  notes: NoteDraft[];
}
