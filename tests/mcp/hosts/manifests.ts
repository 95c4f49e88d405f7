import type { JsonObject } from "@pdpp/contract/declaration";

/** The connectors of the test vault: mail and chat share a stream name; a shop; a household. */

const range = ["gte", "gt", "lte", "lt"];
const text = { type: "string" };
const maybe = { type: ["string", "null"] };
const time = { type: "string", format: "date-time", x_pdpp_role: "event-time" };
const title = { type: "string", x_pdpp_role: "primary-title" };
const body = { type: "string", x_pdpp_role: "body" };

interface StreamParts {
  readonly primary_key?: string[];
  readonly at?: string;
  readonly properties: JsonObject;
  readonly query?: JsonObject;
}

function stream(name: string, { primary_key = ["id"], at, properties, query = {} }: StreamParts): JsonObject {
  const times = at === undefined ? {} : { cursor_field: at, consent_time_field: at };
  const required = [...primary_key, ...(at === undefined ? [] : [at])];
  return {
    name,
    semantics: "mutable_state",
    primary_key,
    ...times,
    selection: { fields: true, resources: true },
    schema: { type: "object", required, properties },
    query,
  };
}

const messages = stream("messages", {
  at: "sent_at",
  properties: { id: text, sent_at: time, subject: title, from: { type: "string", x_pdpp_role: "actor" }, body },
  query: { search: { lexical_fields: ["subject", "body"] }, range_filters: { sent_at: range } },
});

const plain = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, maybe]));

const address = (of: string): JsonObject =>
  plain(["name", "street", "city", "postcode", "country", "phone", "email", "note"].map((part) => `${of}_${part}`));

/** The fields needed for a sum come late among many. */
const orders = stream("orders", {
  at: "ordered_at",
  properties: {
    id: text,
    ...plain(["shop_name", "status", "currency", "carrier", "tracking_code", "invoice_number", "customer_note"]),
    ...address("shipping"),
    ...address("billing"),
    ...address("sender"),
    ...address("pickup"),
    ...address("return_to"),
    ...address("insurer"),
    ...plain(["payment_method", "payment_reference", "coupon_code", "gift_message", "return_label", "warehouse"]),
    ordered_at: time,
    total: { type: "number", x_pdpp_role: "amount" },
  },
  query: {
    range_filters: { ordered_at: range },
    aggregations: { count: true, sum: ["total"], max: ["total"], group_by: ["status"], group_by_time: ["ordered_at"] },
  },
});

const orderLines = stream("order_lines", {
  primary_key: ["order_id", "line"],
  properties: {
    order_id: text,
    line: { type: "integer" },
    product: title,
    engraving: maybe,
    price: { type: "number" },
  },
  query: { search: { lexical_fields: ["product"] } },
});

const documents = stream("documents", {
  at: "written_at",
  properties: { id: text, written_at: time, name: title, body },
  query: { search: { lexical_fields: ["name", "body"] } },
});

const readings = stream("readings", {
  at: "measured_at",
  properties: { id: text, measured_at: time, sensor: text, celsius: { type: "number" } },
});

const devices = stream("devices", {
  properties: { id: text, name: title, config: { type: "object" } },
  query: { search: { lexical_fields: ["name"] } },
});

const photos = stream("photos", {
  at: "taken_at",
  properties: {
    id: text,
    taken_at: time,
    caption: title,
    picture: { type: ["object", "null"], x_pdpp_type: "blob", x_pdpp_role: "media" },
  },
  query: { search: { lexical_fields: ["caption"] } },
});

const connector = (connector_key: string, display_name: string, streams: JsonObject[]): JsonObject => ({
  connector_key,
  version: "1",
  display_name,
  streams,
});

/** Sources that no task needs, so that the index has as many streams as a real household's. */
const others = [
  ["bank", "accounts", "transactions", "standing_orders", "statements"],
  ["calendar", "calendars", "events", "invitations", "reminders"],
  ["contacts", "people", "groups", "birthdays"],
  ["fitness", "workouts", "sleep_phases", "heart_rates", "weights"],
  ["library", "loans", "reservations", "reading_lists"],
  ["music", "plays", "playlists", "favourites", "concerts"],
  ["public_transport", "tickets", "journeys", "subscriptions"],
  ["repositories", "commits", "issues", "pull_requests", "reviews"],
].map(([key, ...streams]) =>
  connector(
    key!,
    key!,
    streams.map((name) => stream(name, { properties: { id: text, name: title } })),
  ),
);

/** Keys of the connectors that no task needs. */
export const otherKeys = others.map(({ connector_key }) => String(connector_key));

export const manifests: readonly JsonObject[] = [
  connector("mail", "Mail", [messages]),
  connector("chat", "Chat", [messages]),
  connector("shop", "Shop", [orders, orderLines]),
  connector("household", "Household", [documents, readings, devices, photos]),
  ...others,
];
