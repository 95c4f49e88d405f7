import { isObject, toNumber, toText } from "../../core/text/clean.ts";
import type { Browser } from "./browsers.ts";

/** Chrome's history from Takeout: all devices of the account, kept longer than in the browser. */

export const isTakeoutFile = (path: string): boolean => /\.json$/i.test(path);

export const isTakeout = (path: string, head: string): boolean =>
  isTakeoutFile(path) && /^\s*\{\s*"Browser History"\s*:\s*\[/.test(head);

const since1601 = 11_644_473_600_000_000n;

/** Converts a visit to a row of Chrome's database, so that both sources give the same id. */
export function toHistoryRow(value: unknown, id: number): Record<string, unknown> {
  if (!isObject(value)) return { id };
  const microseconds = toNumber(value.time_usec);
  return {
    id,
    url: value.url,
    title: value.title,
    time: Number.isSafeInteger(microseconds) ? BigInt(microseconds ?? 0) + since1601 : null,
    how: [toText(value.page_transition), toText(value.page_transition_qualifier)],
  };
}

// biome-ignore format: a compact table
const kinds: Readonly<Record<string, string>> = {
  LINK: "link", TYPED: "typed", AUTO_BOOKMARK: "bookmark", AUTO_SUBFRAME: "frame", MANUAL_SUBFRAME: "frame",
  GENERATED: "typed", AUTO_TOPLEVEL: "start page", FORM_SUBMIT: "form", RELOAD: "reload", KEYWORD: "typed",
  KEYWORD_GENERATED: "typed", CLIENT_REDIRECT: "redirect", SERVER_REDIRECT: "redirect",
};

export const takeoutChrome: Omit<Browser, "sql"> = {
  name: "chromium",
  title: "Chrome",
  epoch: -Number(since1601 / 1000n),
  perMillisecond: 1000,
  describeVisit: (how) => (Array.isArray(how) ? how : []).flatMap((each) => kinds[String(each)] ?? []),
};
