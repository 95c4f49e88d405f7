import { continueWith } from "@pdpp/contract/continuation";
import type { RelatedLink } from "@pdpp/contract/wire";
import type { StreamScope } from "../../store/access/scope.ts";
import type { ReadTransaction } from "../../store/engine/engine.ts";
import { countRelated } from "../../store/records/records.ts";
import type { ReadContext } from "../context.ts";
import {
  continueWithChildren,
  findJoinColumn,
  getJoinValue,
  type Link,
  listLinks,
  loadChildren,
} from "../records/expand.ts";
import type { LoadedRecord } from "../records/load-record.ts";
import { narrow } from "../scope.ts";

const maxLinks = 16;
const maxCount = 10_000;

/** Lists every declared relationship that leads to visible records, with a count and the read that shows them. */
export async function listRelatedLinks(
  context: ReadContext,
  on: ReadTransaction,
  scope: StreamScope,
  record: LoadedRecord,
): Promise<RelatedLink[]> {
  const found: RelatedLink[] = [];
  for (const link of listLinks(context.scope, scope)) {
    if (found.length === maxLinks) break;
    const shown =
      link.relationship.cardinality === "has_one"
        ? await linkToOne(on, link, record)
        : await linkToMany(on, link, record);
    if (shown !== undefined) found.push(shown);
  }
  return found;
}

async function linkToOne(on: ReadTransaction, link: Link, record: LoadedRecord): Promise<RelatedLink | undefined> {
  if (findJoinColumn(link) === undefined) return undefined;
  const [children] = await loadChildren(on, { ...link, limit: 1 }, [record]);
  const other = children?.found[0];
  if (other === undefined) return undefined;
  const { name, stream } = link.relationship;
  const place = { connection_id: record.connection.id, stream, record_id: other.key };
  return { relationship: name, stream, count: 1, read: continueWith("fetch", place) };
}

async function linkToMany(on: ReadTransaction, link: Link, record: LoadedRecord): Promise<RelatedLink | undefined> {
  const join = findJoinColumn(link);
  const [here] = narrow(link.related, record.connection.id);
  if (join === undefined || here === undefined) return undefined;
  const value = getJoinValue(link, record);
  if (value === null) return undefined;
  const count = await countRelated(on, here, { ...join, operator: "eq", value }, maxCount + 1);
  if (count === 0) return undefined;
  const { name, stream } = link.relationship;
  return {
    relationship: name,
    stream,
    count: Math.min(count, maxCount),
    ...(count > maxCount ? { has_more: true } : {}),
    read: continueWithChildren(link, record),
  };
}
