import { defineContactStreams } from "../../core/records/people.ts";
import { defineManifest } from "../../core/records/schema.ts";

/** Version of the reading logic, for imports and for address books that are collected. */
export const contactsVersion = "2";

export const contactsManifest = defineManifest("vcard", "Contacts", "1.0.0", defineContactStreams());
