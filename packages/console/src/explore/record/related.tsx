import { humanize } from "@pdpp/consent/labels";
import type { EvidenceCard, RelatedLink, SingleCard } from "@pdpp/contract/wire";
import { formatHandle } from "@pdpp/evidence/handles/handle";
import { getRecordUrl } from "../../frame/addresses.ts";
import type { Html } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { writeTitle } from "../../frame/render/own-titles.ts";
import { formatNumber, renderRecordTime, renderText } from "../../frame/render/values.tsx";
import { getOpenUrl } from "../../views/kind-views.ts";
import { getTableUrl } from "../stream/table-question.ts";

/** Related records: a count per relationship, the first titles, and a link to all. */
export function renderRelated(card: SingleCard, names: Names): Html {
  const links = card.related ?? [];
  if (links.length === 0) return <></>;
  return (
    <>
      <h2>Related</h2>
      {links.map((link) => {
        const cards = listCards(card, link);
        const name = renderText(names.field("", "", humanize(link.relationship)));
        const more =
          link.count > cards.length ? (
            <li>
              <a href={getRelatedUrl(link)}>{getLinkText(link)}</a>
            </li>
          ) : (
            ""
          );
        return (
          <>
            <h3>
              {name} {link.read.operation !== "fetch" && <span class="soft">{formatTotal(link)}</span>}
            </h3>
            <ul class="related">
              {cards.map((one) => {
                const when = renderRecordTime(one);
                return (
                  <li>
                    <a href={getOpenUrl(names, one)}>{renderText(writeTitle(names, one))}</a>{" "}
                    {when !== undefined && <span class="soft">{when}</span>}
                  </li>
                );
              })}
              {more}
            </ul>
          </>
        );
      })}
    </>
  );
}

const formatTotal = ({ count, has_more: more }: RelatedLink): string => `${formatNumber(count)}${more ? "+" : ""}`;

const getLinkText = (link: RelatedLink): string =>
  link.read.operation === "fetch" ? "Show" : `Show all ${formatTotal(link)}`;

function listCards({ expanded }: SingleCard, { relationship }: RelatedLink): EvidenceCard[] {
  const brought = expanded?.[relationship];
  const items = brought === undefined || brought === null ? [] : brought.object === "list" ? brought.data : [brought];
  return items.filter((item): item is EvidenceCard => item.object === "evidence_card");
}

function getRelatedUrl({ read }: RelatedLink): string {
  if (read.operation === "fetch") {
    const { connection_id: connectionId, stream, record_id: recordId } = read.arguments;
    return getRecordUrl(formatHandle({ connectionId, stream, recordId }));
  }
  if (read.operation !== "queryRecords") throw new Error(`related records are not read by ${read.operation}`);
  const { connection_id: source = "", stream, filter = {} } = read.arguments;
  const filters = Object.entries(filter).map(
    ([field, value]) => ({ field, operator: "is", value: String(value) }) as const,
  );
  return getTableUrl({
    source,
    stream,
    filters,
    order: undefined,
    columns: [],
    isDefault: true,
    total: undefined,
    by: undefined,
  });
}
