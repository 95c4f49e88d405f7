import type { Context } from "hono";
import { readName } from "../../explore/request.ts";
import { buildUrl } from "../../frame/addresses.ts";
import { addMonths, isMonth } from "../calendar/days.ts";

/** The state of the money page, as it is in the URL. */
export interface MoneyQuestion {
  readonly source: string | undefined;
  readonly stream: string | undefined;
  /** The most common one if undefined. */
  readonly currency: string | undefined;
  /** The last of the months shown; the newest with a transaction if undefined. */
  readonly until: string | undefined;
}

export const monthsShown = 12;

export function parseMoneyQuestion(c: Context): MoneyQuestion {
  const until = c.req.query("until");
  return {
    source: readName(c, "source") || undefined,
    stream: readName(c, "stream") || undefined,
    currency: readName(c, "currency") || undefined,
    until: isMonth(until) ? until : undefined,
  };
}

export const getMoneyUrl = ({ source, stream, currency, until }: MoneyQuestion): string =>
  buildUrl("money", { source, stream, currency, until });

export const getTransactionsUrl = (source: string, stream: string): string => buildUrl("money", { source, stream });

export const listMonths = (until: string): string[] =>
  Array.from({ length: monthsShown }, (_, i) => addMonths(until, i - monthsShown + 1));
