import type { JsonObject } from "@pdpp/contract/declaration";
import { calendarManifest } from "@pdpp/importers/icalendar/manifest";
import { contactsManifest } from "@pdpp/importers/vcard/manifest";
import { defineConnectorManifest, type SettingField } from "../kit/manifest.ts";

const defineFields = (plural: string, more: readonly SettingField[] = []): SettingField[] => [
  {
    name: "url",
    label: "Server or address",
    env: "DAV_URL",
    description: "The server's address, or yours: the server is then looked up.",
    example: "ada@example.com",
    required: true,
  },
  { name: "user", label: "User", env: "DAV_USER", description: "Defaults to your address.", example: "ada" },
  { name: "password", label: "Password or app password", env: "DAV_PASSWORD", secret: true },
  {
    name: "token",
    label: "Access token",
    env: "DAV_ACCESS_TOKEN",
    description: "Instead of a password, from a provider that you signed in to.",
    secret: true,
  },
  {
    name: "collections",
    label: plural,
    env: "DAV_COLLECTIONS",
    description: "Names or addresses, separated by commas. Defaults to all.",
    example: "Home,Work",
  },
  {
    name: "absent",
    label: "Deleted on the server",
    env: "DAV_ABSENT",
    choices: [
      { value: "delete", label: "Delete it here too" },
      { value: "keep", label: "Keep it here" },
    ],
  },
  ...more,
];

const intervalSeconds = { recommended: 900, minimum: 60 };

export const caldavManifest: JsonObject = defineConnectorManifest(calendarManifest, {
  fields: defineFields("Calendars", [
    {
      name: "zone",
      label: "Time zone",
      env: "DAV_TIME_ZONE",
      description: "For times without a zone in calendars without one. Defaults to UTC.",
      example: "Europe/Berlin",
    },
  ]),
  intervalSeconds,
});

export const carddavManifest: JsonObject = defineConnectorManifest(contactsManifest, {
  fields: defineFields("Address books"),
  intervalSeconds,
});
