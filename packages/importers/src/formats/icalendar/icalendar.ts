import type { Answers, Claim, Importer, Item, Mark } from "../../core/importer.ts";
import { getLatestModification, mark, reject } from "../../core/items.ts";
import type { Entry } from "../../tree/tree.ts";
import { listOwnLines, readComponents } from "./components.ts";
import { expansionMs, readEvent } from "./events.ts";
import { calendarManifest, calendarVersion } from "./manifest.ts";
import { readOutline } from "./outline.ts";

/** Calendars. A recurring event becomes one record per occurrence, within limits. */
export const icalendar: Importer = {
  key: "icalendar",
  title: "Calendar",
  version: calendarVersion,
  testedWith: "real files",
  manifest: calendarManifest,
  mainStream: "events",
  sniff: (_path, { text }) => /^\s*BEGIN:VCALENDAR\s/i.test(text),
  async createClaims(found) {
    // Only floating times in a calendar without a time zone need an answer.
    const floating = new Set<Entry>();
    for (const entry of found)
      if ((await readOutline(readComponents(entry.bytes()), { zone: "UTC" })).hasFloating) floating.add(entry);
    const [findLine] = floating;
    return [
      {
        format: "icalendar",
        label: "Calendar",
        entries: found,
        companions: [],
        exportedAt: getLatestModification(found),
        questions:
          findLine === undefined
            ? []
            : [{ key: "time_zone", text: `In which time zone is "${findLine.path}"? Some of its times do not say.` }],
      },
    ];
  },
  read,
};

async function* read(claim: Claim, answers: Answers, from?: Mark): AsyncGenerator<Item> {
  for (const [index, entry] of claim.entries.entries()) {
    if (from !== undefined && index < from.entry) continue;
    const start = from !== undefined && index === from.entry ? from.offset : 0;
    const outline = await readOutline(readComponents(entry.bytes()), { zone: answers.time_zone ?? "UTC" });
    for await (const component of readComponents(entry.bytes(start), start)) {
      const { name, offset, bytes, isCut } = component;
      if (name === "" || (name === "VTIMEZONE" && !isCut)) continue;
      if (isCut) yield reject(entry.path, offset, "truncated", "it does not end, or is longer than 16 MiB", bytes);
      else if (name !== "VEVENT") yield { kind: "skipped", path: entry.path, reason: `${name} is no event` };
      else
        yield* readEvent(listOwnLines(bytes), outline, claim.exportedAt + expansionMs, (code, reason) =>
          reject(entry.path, offset, code, reason, bytes),
        );
      yield mark(index, component.end);
    }
  }
}
