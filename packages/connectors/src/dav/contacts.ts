import { readContact } from "@pdpp/importers/vcard/contact";
import { contactsVersion } from "@pdpp/importers/vcard/manifest";
import { z } from "zod";
import type { DavService } from "./service.ts";

const contact = z.object({ id: z.string() });

/** Contacts, as in imported address books. */
export const contactService: DavService = {
  type: "carddav",
  protocol: "CardDAV",
  plural: "address books",
  stream: "contacts",
  keyFields: ["id"],
  resourceType: "addressbook",
  homeSet: "card:addressbook-home-set",
  homeSetName: "addressbookHomeSet",
  data: "card:address-data",
  dataName: "addressData",
  multiget: "card:addressbook-multiget",
  start: /^\s*BEGIN:VCARD/i,
  describeReading: () => contactsVersion,
  async readObject(text) {
    const record = readContact(Buffer.from(text), true);
    if (record === undefined) {
      const rejected = [{ code: "no_name", reason: "the contact has neither a name nor an address" }];
      return { records: [], rejected, isOpen: false };
    }
    const { id } = contact.parse(record.data);
    const { data, blob } = record;
    return { records: [{ id, part: "", data, ...(blob && { blob }) }], rejected: [], isOpen: false };
  },
};
