/** A mail of a mailbox file. */
export const buildMail = (n: number): string =>
  `From ada@example.org Thu Jan  1 00:00:00 2026\nMessage-ID: <mail-${n}@example.org>\nDate: Thu, 1 Jan 2026 10:00:${String(n % 60).padStart(2, "0")} +0000\nFrom: Ada <ada@example.org>\nTo: Ben <ben@example.org>\nSubject: Boiler ${n}\n\nText of mail ${n}.\n\n`;
