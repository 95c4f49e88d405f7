import type { Item } from "../../core/importer.ts";
import { reject, yieldBytes } from "../../core/items.ts";
import { type Component, listOwnLines, readComponents } from "./components.ts";
import { addDescribedZone } from "./described-zones.ts";
import { expansionMs, readEvent } from "./events.ts";
import { type CalendarDefaults, readOutline } from "./outline.ts";

/** Reads one object of a calendar server: an event with all of its changed occurrences. */

export interface CalendarObjectContext extends CalendarDefaults {
  /** Rules are expanded as in an export of this time. */
  readonly exportedAt: number;
}

export async function readCalendarObject(text: string, context: CalendarObjectContext): Promise<Item[]> {
  const components: Component[] = [];
  for await (const component of readComponents(yieldBytes(Buffer.from(text)))) components.push(component);
  const outline = await readOutline(components, context);
  const items: Item[] = [];
  for (const { name, offset, bytes, isCut } of components) {
    if (name === "" || (name === "VTIMEZONE" && !isCut)) continue;
    const refuse = (code: string, reason: string) => reject("", offset, code, reason, bytes);
    if (isCut) items.push(refuse("truncated", "it does not end, or is longer than 16 MiB"));
    else if (name !== "VEVENT") items.push({ kind: "skipped", path: "", reason: `${name} is no event` });
    else items.push(...readEvent(listOwnLines(bytes), outline, context.exportedAt + expansionMs, refuse));
  }
  return items;
}

/** The zone that a calendar server gives for a calendar, as a VTIMEZONE component. */
export function readCalendarZone(text: string): string | undefined {
  const zones = new Map<string, string>();
  addDescribedZone(Buffer.from(text), zones);
  return zones.values().next().value;
}
