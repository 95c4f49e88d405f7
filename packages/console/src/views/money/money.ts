import type { ReadApi } from "@pdpp/contract/operations";
import type { Context } from "hono";
import type { Viewpoint } from "../../explore/viewpoint.tsx";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { findNewestMonth, listMoneyStreams, loadMoney, type MoneyStream } from "./load-money.ts";
import { renderMoneyPage } from "./money-page.tsx";
import { type MoneyQuestion, parseMoneyQuestion } from "./money-question.ts";

/** What came in and went out in a year: one stream, one currency. */
export async function respondWithMoney(c: Context, viewpoint: Viewpoint, viewer: Viewer): Promise<Response> {
  const { reader, names, impersonatedGrant, timeZone: zone } = viewpoint;
  const question = parseMoneyQuestion(c);
  const streams = listMoneyStreams(names);
  const found = await chooseStream(reader, streams, question, zone);
  const until = question.until ?? found?.newest;
  const money =
    found === undefined || until === undefined
      ? undefined
      : await loadMoney(reader, found.stream, until, question.currency, zone);
  const chosen = found?.stream;
  const place = { source: chosen?.source ?? question.source, stream: chosen?.declaration.name ?? question.stream };
  const view = {
    question: { ...question, ...place },
    stream: chosen,
    streams,
    money,
    zone,
    names,
    viewer,
    impersonatedGrant,
  };
  return c.html(renderMoneyPage(view), 200, buildPageHeaders());
}

/** The stream of the URL, or the first one that has transactions. */
async function chooseStream(
  reader: ReadApi,
  streams: readonly MoneyStream[],
  { source, stream }: MoneyQuestion,
  zone: string,
): Promise<{ readonly stream: MoneyStream; readonly newest: string } | undefined> {
  const fitting = streams.filter(
    (each) =>
      (source === undefined || each.source === source) && (stream === undefined || each.declaration.name === stream),
  );
  for (const each of fitting.slice(0, 20)) {
    const newest = await findNewestMonth(reader, each, zone);
    if (newest !== undefined) return { stream: each, newest };
  }
  return undefined;
}
