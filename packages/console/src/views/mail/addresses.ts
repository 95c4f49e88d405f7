import { buildUrl } from "../../frame/addresses.ts";

/** How the text of a mail is shown. */
export const mailModes = ["formatted", "plain", "source"] as const;
export type MailMode = (typeof mailModes)[number];

export const getMailUrl = (id: string, q?: string, mode?: MailMode): string => buildUrl("mail", { id, q, show: mode });

export const getMailHtmlUrl = (id: string): string => buildUrl("mail/html", { id });
