import type { StreamKind } from "@pdpp/contract/declaration";
import type { Names } from "../frame/names.ts";
import type { TimedStream } from "./timed-streams.ts";

/** Streams by what they hold, for the filters of a day. */

const kindLabels: { readonly [kind in StreamKind]: string } = {
  conversation: "Messages",
  mail: "Mail",
  event: "Calendar",
  photo: "Photos",
  place: "Places",
  track: "Tracks",
  transaction: "Money",
  document: "Documents",
  person: "People",
};

/** As it is in the URL: a declared kind, else the stream's name. */
export function getKindKey({ declaration: { presentation, conversation, name } }: TimedStream): string {
  return presentation?.kind ?? (conversation === undefined ? `stream:${name}` : "conversation");
}

/** Streams of one kind with the same label keep it, such as Notes. */
export function getKindLabel(names: Names, streams: readonly TimedStream[]): string {
  const labels = new Set(streams.map(({ connection, declaration }) => names.stream(connection, declaration.name)));
  const [label = ""] = labels;
  const [first] = streams;
  const kind = first === undefined ? "" : getKindKey(first);
  return labels.size > 1 && Object.hasOwn(kindLabels, kind) ? kindLabels[kind as StreamKind] : label;
}
