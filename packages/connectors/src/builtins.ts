import type { Json, JsonObject } from "@pdpp/contract/declaration";
import { calendarManifest } from "@pdpp/importers/icalendar/manifest";
import { mailManifest } from "@pdpp/importers/mail/manifest";
import { contactsManifest } from "@pdpp/importers/vcard/manifest";
import { findInvalidDavAddress } from "./dav/check-values.ts";
import { caldavManifest, carddavManifest } from "./dav/dav-manifest.ts";
import { findInvalidFeed } from "./feed/addresses.ts";
import { entriesManifest, feedManifest } from "./feed/feed-manifest.ts";
import { findInvalidAccount } from "./imap/check-values.ts";
import { imapManifest } from "./imap/manifest.ts";
import type { InvalidSetting, SettingValues } from "./kit/invalid-setting.ts";

/** A connector that comes with pdpp. */
export interface BuiltinConnector {
  /** The name on the command line: `pdpp source add imap`. */
  readonly name: string;
  readonly title: string;
  /** One line for people who choose. */
  readonly summary: string;
  readonly version: string;
  /** The manifest of the public protocol: streams, settings, and how often to collect. */
  readonly manifest: JsonObject;
  /** The manifest that its connections are registered with: that of the importer of the same records, which may fill them too. */
  readonly records: JsonObject;
  readonly program: URL;
  /** Finds a value with which no run can succeed. */
  readonly findInvalid: (values: SettingValues) => InvalidSetting | undefined;
  /** Whether nothing changed since these cursors, found out without a process of its own. */
  readonly isUnchanged?: (
    env: Readonly<Record<string, string>>,
    cursors: Readonly<Record<string, Json>>,
    signal: AbortSignal,
  ) => Promise<boolean>;
  /** Waits for changes with the same variables, until the signal aborts or it cannot sign in. */
  readonly watch?: (
    env: Readonly<Record<string, string>>,
    options: { readonly signal: AbortSignal; readonly onChange: () => void },
  ) => Promise<void>;
}

export const builtinConnectors: readonly BuiltinConnector[] = [
  {
    name: "imap",
    title: "Mail account (IMAP)",
    summary: "Collect the mails of an account, and follow what changes",
    version: "1",
    manifest: imapManifest,
    records: mailManifest,
    program: new URL("./imap/imap-connector.ts", import.meta.url),
    findInvalid: findInvalidAccount,
    // Loaded only by servers with such an account.
    isUnchanged: async (env, cursors, signal) =>
      (await import("./imap/watch/check-account.ts")).isAccountUnchanged(env, cursors, signal),
    watch: async (env, options) => (await import("./imap/watch/watch-account.ts")).watchAccount(env, options),
  },
  {
    name: "caldav",
    title: "Calendars (CalDAV)",
    summary: "Collect the events of an account's calendars, and follow what changes",
    version: "1",
    manifest: caldavManifest,
    records: calendarManifest,
    program: new URL("./dav/caldav-connector.ts", import.meta.url),
    findInvalid: findInvalidDavAddress,
  },
  {
    name: "carddav",
    title: "Contacts (CardDAV)",
    summary: "Collect the contacts of an account's address books, and follow what changes",
    version: "1",
    manifest: carddavManifest,
    records: contactsManifest,
    program: new URL("./dav/carddav-connector.ts", import.meta.url),
    findInvalid: findInvalidDavAddress,
  },
  {
    name: "feed",
    title: "Web feeds",
    summary: "Collect the entries of RSS, Atom, RDF and JSON feeds",
    version: "1",
    manifest: feedManifest,
    records: entriesManifest,
    program: new URL("./feed/feed-connector.ts", import.meta.url),
    findInvalid: findInvalidFeed,
  },
];
