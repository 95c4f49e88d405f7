import type { JsonObject } from "@pdpp/contract/declaration";
import { body, defineStream, extra, maybeText, text, texts, time, title } from "./schema.ts";

export const defineContactStreams = (): JsonObject[] => [
  defineStream({
    name: "contacts",
    label: "Contacts",
    description: "People and organisations in an address book.",
    time: "updated_at",
    fields: {
      id: text(),
      display_name: title(),
      given_name: maybeText(),
      family_name: maybeText(),
      nickname: maybeText(),
      organization: maybeText({ x_pdpp_role: "secondary" }),
      job_title: maybeText(),
      emails: texts({ x_pdpp_type: "email" }),
      phones: texts({ description: "As written, with the kind of number." }),
      addresses: texts(),
      urls: texts(),
      birthday: maybeText({ description: "As written; the year may be missing." }),
      categories: texts(),
      note: body(),
      updated_at: time("When it was last changed, if the address book says so."),
      photo: { type: ["object", "null"], x_pdpp_type: "blob", x_pdpp_role: "blob-reference" },
      extra: extra(),
    },
    search: ["display_name", "organization", "nickname", "note"],
    groups: ["organization"],
  }),
];
