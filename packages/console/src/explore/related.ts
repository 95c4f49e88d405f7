import type { EvidenceCard, SingleCard } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { recordAddress } from "../frame/addresses.ts";
import type { Html } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import { said, whenOf } from "../frame/value-view.ts";
import { inWords } from "../frame/words.ts";
import { tableAddress } from "./table-question.ts";

/** Records that belong to one, and the way to all of them. */
export function relatedView(card: SingleCard, names: Names): Html {
  const groups = Object.entries(card.expanded ?? {}).flatMap(([name, related]) => {
    if (related === null) return [];
    const items = related.object === "list" ? related.data : [related];
    const cards = items.filter((item): item is EvidenceCard => item.object === "evidence_card");
    const more = related.object === "list" && related.has_more === true ? moreOf(card, name, names) : undefined;
    return cards.length === 0 ? [] : [{ name, cards, more }];
  });
  if (groups.length === 0) return html``;
  return html`<h2>Belongs to it</h2>${groups.map(
    ({ name, cards, more }) => html`<h3>${said(names.field("", "", inWords(name)))}</h3><ul class="related">
${cards.map((one) => {
  const when = whenOf(one.event_time);
  return html`<li><a href="${recordAddress(one.id)}">${said(one.title)}</a>${when === undefined ? "" : html` <span class="soft">${when}</span>`}</li>`;
})}${more === undefined ? "" : html`<li><a href="${more}">and more</a></li>`}</ul>`,
  )}`;
}

/** The table of all of them: they hold the key of this one. */
function moreOf(card: SingleCard, name: string, names: Names): string | undefined {
  const { connection_id: source, stream, record_id: value } = card;
  const related = names.declaration(source, stream)?.relationships.find((each) => each.name === name);
  if (related === undefined) return undefined;
  const filters = [{ field: related.foreignKey, operator: "is", value } as const];
  return tableAddress({
    source,
    stream: related.stream,
    filters,
    order: undefined,
    columns: [],
    total: undefined,
    by: undefined,
  });
}
