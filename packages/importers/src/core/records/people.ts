import type { JsonObject } from "@pdpp/contract/declaration";
import * as field from "./field.ts";
import { defineStream } from "./schema.ts";

export const defineContactStreams = (): JsonObject[] => [
  defineStream({
    name: "contacts",
    label: "Contacts",
    description: "People and organisations in an address book.",
    time: "updated_at",
    fields: {
      id: field.text(),
      display_name: field.title(),
      given_name: field.maybeText(),
      family_name: field.maybeText(),
      nickname: field.maybeText(),
      organization: field.maybeText({ x_pdpp_role: "secondary" }),
      job_title: field.maybeText(),
      emails: field.texts({ x_pdpp_type: "email" }),
      phones: field.texts({ description: "As written, with the kind of number." }),
      addresses: field.texts(),
      urls: field.texts(),
      birthday: field.maybeText({ description: "As written; the year may be missing." }),
      categories: field.texts(),
      note: field.body(),
      updated_at: field.time("When it was last changed, if the address book says so."),
      photo: field.blobReference(),
      extra: field.extra(),
    },
    presentation: { kind: "person", fields: { emails: "emails", phones: "phones" } },
    search: ["display_name", "organization", "nickname", "note"],
    groups: ["organization"],
  }),
];
