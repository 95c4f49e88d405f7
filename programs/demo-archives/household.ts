import { demoVault, readBlobs, readRecords } from "#demo/demo-vault";
import people from "./people.json" with { type: "json" };

/** The demo's records, typed by the fields that the archives need. */

export interface Person {
  name: string;
  address: string;
  signature?: string;
}

export interface Mail {
  id: string;
  thread_id: string;
  /** The owner's address. */
  account: string;
  folder: "inbox" | "sent" | "newsletters";
  from_name: string;
  from_address: string;
  to: string[];
  cc: string[];
  subject: string;
  body_text: string;
  sent_at: string;
  labels: string[];
  attachments: { filename: string; mime_type: string }[];
  headers: { "Message-ID": string; References?: string[]; "List-Id"?: string };
}

export interface ChatRoom {
  id: string;
  title: string;
}

export interface ChatMessage {
  conversation_id: string;
  sender_name: string;
  text: string;
  sent_at: string;
}

export interface Calendar {
  id: string;
  name: string;
}

export interface CalendarEvent {
  event_id: string;
  occurrence_start: string;
  occurrence_end: string;
  all_day: boolean;
  calendar_id: string;
  title: string;
  location: string | null;
  description: string | null;
  organizer: string;
  attendees: { name: string; response: string }[];
  status: string;
  recurrence: { frequency: string; interval: number; by_day: string[]; until: string; skipped: string[] } | null;
  updated_at: string;
}

export interface Order {
  order_id: string;
  shop: string;
  status: string;
  ordered_at: string;
  delivered_at: string | null;
  total_amount: number;
  refund_amount: number;
  currency: string;
  payment_method: string;
  note: string | null;
}

export interface OrderItem {
  item_id: string;
  order_id: string;
  name: string;
  category: string;
  quantity: number;
  unit_amount: number;
}

export interface AssistantChat {
  id: string;
  title: string;
  model: string;
}

export interface AssistantMessage {
  conversation_id: string;
  author: "owner" | "assistant";
  content: string;
  created_at: string;
}

export interface Note {
  id: string;
  title: string;
  notebook: string;
  body: string;
  tags: string[];
  checklist: { text: string; done: boolean }[] | null;
  pinned: boolean;
  created_at: string;
  updated_at: string;
}

export interface NoteFile {
  note_id: string;
  filename: string;
  mime_type: string;
  caption: string;
}

const readAll = <T>(connectionId: string, stream: string): T[] =>
  [...readRecords(connectionId, stream)].map(({ data }) => data as T);

export const readHousehold = () => ({
  privateMails: readAll<Mail>("cin_mail_ada", "messages"),
  workMails: readAll<Mail>("cin_mail_work", "messages"),
  chatRooms: readAll<ChatRoom>("cin_chat_ada", "conversations"),
  chatMessages: readAll<ChatMessage>("cin_chat_ada", "messages"),
  calendars: readAll<Calendar>("cin_calendar_home", "calendars"),
  events: readAll<CalendarEvent>("cin_calendar_home", "events"),
  orders: readAll<Order>("cin_purchases_ada", "orders"),
  orderItems: readAll<OrderItem>("cin_purchases_ada", "order_items"),
  assistantChats: readAll<AssistantChat>("cin_assistant_ada", "conversations"),
  assistantMessages: readAll<AssistantMessage>("cin_assistant_ada", "messages"),
  notes: readAll<Note>("cin_notes_ada", "notes"),
  noteFiles: readAll<NoteFile>("cin_notes_ada", "attachments"),
  fileBytes: new Map(
    demoVault.connections.flatMap((each) => [...readBlobs(each)]).map((blob) => [blob.name, blob.bytes]),
  ),
});

export const owner: Person = people.owner;
export const contacts: readonly Person[] = people.contacts;
