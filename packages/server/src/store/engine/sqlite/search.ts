import {
  noNumbers,
  type SearchEngine,
  type SearchPlan,
  type SearchScope,
  type Term,
} from "../../search/search-index.ts";
import { theRow } from "../engine.ts";
import { all, atMost, raw, type Sql, type SqlValue, sql, steady } from "../sql.ts";
import { gather, type Places, placesQuery } from "./postings.ts";

/**
 * FTS5 without content: the words of a document go in as they are, separated by spaces, so its tokenizer has nothing to decide.
 * Beside it a narrow table with each document's connection and lengths.
 */

const pagesAtOnce = 500;
const column = (n: number): string => `c${n}`;
const words = (plan: SearchPlan): Sql => raw(plan.name);
const documents = (plan: SearchPlan): Sql => raw(`${plan.name}_doc`);
const instances = (plan: SearchPlan): Sql => raw(`${plan.name}_word`);

const inColumns = (name: string, fields: readonly number[]): Sql =>
  raw(`${name} IN (${fields.map((n) => `'${column(n)}'`).join(", ")})`);

const quoted = (form: string): string => `"${form}"`;

function expression(term: Term, fields: readonly number[]): string {
  const inFields = `{${fields.map(column).join(" ")}} : `;
  switch (term.kind) {
    case "forms":
      return `${inFields}(${term.forms.map(quoted).join(" OR ")})`;
    case "prefix":
      return `${inFields}${quoted(term.prefix)} *`;
    case "phrase":
      return `${inFields}${quoted(term.forms.join(" "))}`;
  }
}

/** The scope's documents: the bare index when the scope is the whole stream, else joined with what limits it. */
function documentsOf(
  plan: SearchPlan,
  scope: SearchScope,
  base: Sql,
  doc: Sql,
  withLengths = false,
): { from: Sql; conditions: Sql[] } {
  const conditions = [sql`${doc} <= ${scope.upTo}`];
  if (!withLengths && scope.connectionNos === undefined && scope.limit === undefined) {
    return { from: base, conditions };
  }
  const joined = sql`${base} JOIN ${documents(plan)} AS d ON d.doc = ${doc}`;
  if (scope.connectionNos !== undefined) conditions.push(raw(`d.connection_no IN (${scope.connectionNos.join(", ")})`));
  if (scope.limit === undefined) return { from: joined, conditions };
  return {
    from: sql`${joined} JOIN ${scope.limit.table} AS r
      ON r.owner_no = ${scope.ownerNo} AND r.connection_no = d.connection_no AND r.version = d.doc`,
    conditions: [...conditions, ...scope.limit.conditions],
  };
}

function matching(plan: SearchPlan, scope: SearchScope, term: Term): { from: Sql; where: Sql } {
  const { from, conditions } = documentsOf(plan, scope, words(plan), sql`${words(plan)}.rowid`);
  return { from, where: all([sql`${words(plan)} MATCH ${expression(term, scope.fields)}`, ...conditions]) };
}

const steadily = steady();

/**
 * A statement of a scope; without conditions on records its text is always the same, and not put together again. Vaults of one
 * process have plans of the same name and other fields.
 */
function ofScope(
  plan: SearchPlan,
  scope: SearchScope,
  kind: string,
  values: readonly SqlValue[],
  make: () => Sql,
): Sql {
  if (scope.limit !== undefined) return make();
  const key = `${kind} ${plan.name} ${plan.fields.length} ${scope.fields.join()} ${scope.connectionNos?.join() ?? ""}`;
  return steadily(key, make, values);
}

/** Words place by place; of phrases and beginnings the documents that have them, field by field. */
function placesOf(
  plan: SearchPlan,
  scope: SearchScope,
  term: Term,
  kind: Places["kind"],
  limit: number,
  withLengths: boolean,
): Places[] {
  const lengths = withLengths ? plan.fields.map((_, n) => `n${n}`) : [];
  const key = `${term.kind} ${withLengths} ${limit}`;
  if (term.kind !== "forms") {
    return scope.fields.map((field) => {
      const match = expression(term, [field]);
      const query = ofScope(plan, scope, key, [match, scope.upTo], () => {
        const doc = sql`${words(plan)}.rowid`;
        const { from, conditions } = documentsOf(plan, scope, words(plan), doc, withLengths);
        const where = all([sql`${words(plan)} MATCH ${match}`, ...conditions]);
        return placesQuery({ from, where, doc, field: undefined }, limit, lengths);
      });
      return { query, field, kind };
    });
  }
  const isOnly = plan.fields.length === 1;
  return term.forms.map((form) => {
    const query = ofScope(plan, scope, key, [form, scope.upTo], () => {
      const doc = raw("w.doc");
      const { from, conditions } = documentsOf(plan, scope, sql`${instances(plan)} AS w`, doc, withLengths);
      if (!isOnly) conditions.push(inColumns("w.col", scope.fields));
      const where = all([sql`w.term = ${form}`, ...conditions]);
      const field = isOnly ? undefined : raw("CAST(substr(w.col, 2) AS INTEGER)");
      return placesQuery({ from, where, doc, field }, limit, lengths);
    });
    return { query, field: isOnly ? 0 : undefined, kind };
  });
}

export const sqliteSearch: SearchEngine = {
  create: (plan) => {
    const columns = plan.fields.map((_, n) => column(n)).join(", ");
    const lengths = plan.fields.map((_, n) => `n${n} INTEGER NOT NULL`).join(", ");
    return [
      raw(
        `CREATE VIRTUAL TABLE ${plan.name} USING fts5(${columns}, content='', contentless_delete=1, tokenize='ascii')`,
      ),
      raw(`CREATE VIRTUAL TABLE ${plan.name}_word USING fts5vocab(${plan.name}, instance)`),
      raw(`CREATE TABLE ${plan.name}_doc (doc INTEGER PRIMARY KEY, connection_no INTEGER NOT NULL, ${lengths})`),
      raw(`CREATE INDEX ${plan.name}_doc_connection ON ${plan.name}_doc (connection_no)`),
    ];
  },

  drop: (plan) =>
    [`${plan.name}_word`, plan.name, `${plan.name}_doc`].map((table) => raw(`DROP TABLE IF EXISTS ${table}`)),

  async add(on, plan, added) {
    await on.insert(
      plan.name,
      [{ name: "rowid", type: "integer" }, ...plan.fields.map((_, n) => ({ name: column(n), type: "text" as const }))],
      added.map(({ doc, words }) => [doc, ...words.map((list) => list.join(" "))]),
    );
    await on.insert(
      `${plan.name}_doc`,
      ["doc", "connection_no", ...plan.fields.map((_, n) => `n${n}`)].map((name) => ({
        name,
        type: "integer" as const,
      })),
      added.map(({ doc, connectionNo, words }) => [doc, connectionNo, ...words.map(({ length }) => length)]),
    );
  },

  async remove(on, plan, _ownerNo, docs) {
    const among = sql`IN (SELECT value FROM json_each(${JSON.stringify(docs)}))`;
    await on.run(sql`DELETE FROM ${words(plan)} WHERE rowid ${among}`);
    await on.run(sql`DELETE FROM ${documents(plan)} WHERE doc ${among}`);
  },

  async settle(on, plan, isFirst) {
    const changes = async () => (await on.one<{ n: number }>(raw("SELECT total_changes() AS n")))?.n ?? 0;
    const before = await changes();
    // A negative number of pages begins a merge of all segments, a positive one goes on with it.
    const pages = isFirst ? -pagesAtOnce : pagesAtOnce;
    await on.run(sql`INSERT INTO ${words(plan)} (${words(plan)}, rank) VALUES ('merge', ${pages})`);
    return (await changes()) - before < 2;
  },

  isUnused: (plan) => sql`NOT EXISTS (SELECT 1 FROM ${instances(plan)} WHERE term = search_form.form)`,

  async removeConnection(on, plan, _ownerNo, connectionNo) {
    const here = sql`SELECT doc FROM ${documents(plan)} WHERE connection_no = ${connectionNo}`;
    await on.run(sql`DELETE FROM ${words(plan)} WHERE rowid IN (${here})`);
    await on.run(sql`DELETE FROM ${documents(plan)} WHERE connection_no = ${connectionNo}`);
  },

  async newest(on, plan, scope, term, limit) {
    const { from, where } = matching(plan, scope, term);
    const rowid = sql`${words(plan)}.rowid`;
    // The count is asked for in the same statement, and made only when it is needed.
    const count = sql`CASE WHEN found < ${limit} THEN found ELSE (SELECT count(*) FROM ${from} WHERE ${where}) END`;
    const row = await theRow<{ docs: string; count: number }>(
      on,
      sql`SELECT docs, ${count} AS count FROM
      (SELECT json_group_array(doc) AS docs, count(*) AS found FROM
        (SELECT ${rowid} AS doc FROM ${from} WHERE ${where} ORDER BY ${rowid} DESC ${atMost(limit)}))`,
    );
    return { docs: listOf(row.docs), count: row.count };
  },

  postings(on, plan, scope, { exact, related }, most, withLengths) {
    const exactly = placesOf(plan, scope, exact, "exact", most + 1, withLengths);
    const places =
      related === undefined
        ? exactly
        : [...exactly, ...placesOf(plan, scope, related, "related", most + 1, withLengths)];
    return gather(on, plan, places, most, withLengths);
  },

  async occurrences(on, plan, scope, forms, asked) {
    const counts = noNumbers(plan, asked);
    const [oldest, newest] = spanOf(asked.docs);
    const width = plan.fields.length;
    for (const form of forms) {
      const of = sql`FROM ${instances(plan)} WHERE term = ${form} AND doc BETWEEN ${oldest} AND ${newest}`;
      // Every occurrence is a row; they come over as arrays, which is far cheaper than as rows.
      const row = await theRow<{ docs: string; fields?: string }>(
        on,
        width === 1
          ? sql`SELECT json_group_array(doc) AS docs ${of}`
          : sql`SELECT json_group_array(doc) AS docs, json_group_array(CAST(substr(col, 2) AS INTEGER)) AS fields ${of}
              AND ${inColumns("col", scope.fields)}`,
      );
      const fields = row.fields === undefined ? undefined : listOf(row.fields);
      for (const [i, doc] of listOf(row.docs).entries()) {
        const place = asked.places.get(doc);
        if (place === undefined) continue;
        const at = place * width + (fields?.[i] ?? 0);
        counts[at] = (counts[at] ?? 0) + 1;
      }
    }
    return counts;
  },

  async presence(on, plan, scope, term, asked) {
    const flags = noNumbers(plan, asked);
    const [oldest, newest] = spanOf(asked.docs);
    for (const field of scope.fields) {
      // The index is walked once: asked for single rows, it would start anew for each.
      const row = await theRow<{ docs: string }>(
        on,
        sql`SELECT json_group_array(rowid) AS docs FROM ${words(plan)}
        WHERE ${words(plan)} MATCH ${expression(term, [field])} AND rowid BETWEEN ${oldest} AND ${newest}`,
      );
      for (const doc of listOf(row.docs)) {
        const place = asked.places.get(doc);
        if (place !== undefined) flags[place * plan.fields.length + field] = 1;
      }
    }
    return flags;
  },

  async lengths(on, plan, _ownerNo, asked) {
    const names = plan.fields.map((_, n) => `n${n}`);
    // The left side of the join is walked in its order, so the lists come in the order of the documents.
    const row = await on.one<
      Record<string, string>
    >(sql`SELECT ${raw(names.map((name) => `json_group_array(${name}) AS ${name}`).join(", "))}
      FROM json_each(${JSON.stringify(asked.docs)}) AS a LEFT JOIN ${documents(plan)} AS d ON d.doc = a.value`);
    const lengths = noNumbers(plan, asked);
    for (const [field, name] of names.entries()) {
      for (const [place, length] of listOf(row?.[name] ?? "[]").entries())
        lengths[place * names.length + field] = length;
    }
    return lengths;
  },

  async usualLengths(on, plan, scope, sample) {
    const names = plan.fields.map((_, n) => `n${n}`);
    const query = ofScope(plan, scope, `usual ${sample}`, [scope.upTo], () => {
      const { from, conditions } = documentsOf(plan, scope, sql`${documents(plan)} AS l`, raw("l.doc"));
      const sums = raw(names.map((n) => `sum(${n}) AS ${n}`).join(", "));
      return sql`SELECT count(*) AS docs, ${sums} FROM (SELECT ${raw(names.map((n) => `l.${n} AS ${n}`).join(", "))}
        FROM ${from} WHERE ${all(conditions)} ORDER BY l.doc DESC ${atMost(sample)})`;
    });
    const [row] = await on.allCached<Record<string, number>>(query);
    return names.map((name) => (row?.[name] ?? 0) / Math.max(1, row?.docs ?? 0));
  },
};

const listOf = (text: string): number[] => JSON.parse(text);

function spanOf(docs: readonly number[]): [number, number] {
  let [oldest, newest] = [docs[0] ?? 0, docs[0] ?? 0];
  for (const doc of docs) {
    if (doc < oldest) oldest = doc;
    if (doc > newest) newest = doc;
  }
  return [oldest, newest];
}
