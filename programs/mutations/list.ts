// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is source text
/**
 * Deliberate faults. Each is put into a copy of the tree, alone, and must be caught by what it names. `walk` is a short
 * `npm run proof`, `fuzz` a short `npm run fuzz`; anything else is given to vitest.
 */
const server = "packages/server/src";
const mcp = "packages/mcp/src";
const evidence = "packages/evidence/src";
const cli = "packages/cli/src";

interface Replacement {
  readonly find: string;
  readonly replace: string;
}

export interface Mutation extends Replacement {
  readonly name: string;
  readonly file: string;
  readonly also?: readonly Replacement[];
  readonly by: string;
  readonly args?: readonly string[];
}

export const mutations: readonly Mutation[] = [
  {
    name: "a hit shows its title again, and not what the record adds to it",
    file: `${evidence}/proofs.ts`,
    find: "const inHead = clausesOf(head, asked);",
    replace: "const inHead = 0 * clausesOf(head, asked);",
    also: [
      {
        find: "const rank = [repeatsHead, gain, worthOf(window.clauses, rarities), body, total];",
        replace: "const rank = [repeatsHead, gain, 0 * body, 0 * total];",
      },
    ],
    by: "tests/evidence/evidence.test.ts",
  },
  {
    name: "rare words count no more than common ones in the choice of passages",
    file: `${evidence}/proofs.ts`,
    find: "const gain = worthOf(missingFrom(window.clauses, shown), rarities);",
    replace: "const gain = worthOf(missingFrom(window.clauses, shown));",
    by: "packages/evidence/src/proofs.test.ts",
  },
  {
    name: "a page that is full goes on one record too late",
    file: `${server}/read/query-records.ts`,
    find: "const cursor = found.length > page.length && last ? cursorAt(last) : undefined;",
    replace: "const cursor = found.length > page.length && last ? cursorAt(listed[page.length] ?? last) : undefined;",
    by: "tests/rest/page-room.test.ts",
  },
  {
    name: "a window does not look where a run of bytes ends",
    file: `${server}/read/encoded-in.ts`,
    find: "const mostChars = 4 * 1024 ** 2;",
    replace: "const mostChars = 1;",
    by: "walk",
  },
  {
    name: "a window offers what is nothing but bytes",
    file: `${server}/read/cut-window.ts`,
    find: "[await textAfter(bytes, end), await textBefore(bytes, start)]",
    replace: "[end, start]",
    by: "walk",
  },
  {
    name: "the way to bytes leads to another field",
    file: `${server}/read/window-answer.ts`,
    find: "fields: [field] })",
    replace: "fields: [scope.stream.declaration.primaryKey[0] ?? field] })",
    by: "walk",
  },
  {
    name: "a window that goes back is shortened at its wrong end",
    file: `${server}/read/cut-window.ts`,
    find: "return windowTo(await source.slice(first, end), end, limit, room);",
    replace: "return windowFrom(await source.slice(first, end), first, limit, room);",
    by: "walk",
  },
  {
    name: "search looks into fields outside of the grant",
    file: `${server}/store/search/sources.ts`,
    find: "(mayRead(scope, field) ? [n] : [])",
    replace: "[n]",
    by: "walk",
  },
  {
    name: "a neighbour outside of the grant counts",
    file: `${server}/store/search/neighbours.ts`,
    find: "    ...limits,\n",
    replace: "",
    by: "tests/search/conversation.test.ts",
  },
  {
    name: "words that nothing has push out those that something has",
    file: `${server}/store/search/rank.ts`,
    find: "placesIn(clause) || Number.POSITIVE_INFINITY",
    replace: "placesIn(clause)",
    by: "tests/search/finding.test.ts",
  },
  {
    name: "a merge keeps the words of records that are gone",
    file: `${server}/store/search/merge-segments.ts`,
    find: "if (gone.size === 0) return list;",
    replace: "if (gone.size >= 0) return list;",
    by: "packages/server/src/store/search/segment.test.ts",
  },
  {
    name: "the time bound of a grant has no end",
    file: `${server}/store/access/scope.ts`,
    find: "if (scope.time.until !== undefined) found.push",
    replace: "if (false) found.push",
    by: "walk",
  },
  {
    name: "the records that a grant names are not looked at",
    file: `${server}/store/access/scope.ts`,
    find: 'if (scope.resources) found.push(dialect.among(raw("key")',
    replace: 'if (false) found.push(dialect.among(raw("key")',
    by: "walk",
  },
  {
    name: "cards show fields outside of the grant",
    file: `${server}/read/evidence.ts`,
    find: "evidenceCard(evidenceRecord(scope, projection, record)",
    replace: "evidenceCard(evidenceRecord(scope, null, record)",
    by: "walk",
  },
  {
    name: "search shows hits with fields outside of the grant",
    file: `${server}/read/search-results.ts`,
    find: "const record = evidenceRecord(scope, scope.fields, held);",
    replace: "const record = evidenceRecord(scope, null, held);",
    by: "walk",
  },
  {
    name: "a window reads a field outside of the grant",
    file: `${server}/read/read-field.ts`,
    find: "if (!mayRead(scope, field)) {",
    replace: "if (false) {",
    by: "walk",
  },
  {
    name: "another connection's records are read under one connection's name",
    file: `${server}/read/scope.ts`,
    find: "stream.connections.filter(({ id }) => id === connectionId)",
    replace: "stream.connections.filter(() => true)",
    by: "walk",
  },
  {
    name: "a revoked grant goes on",
    file: `${server}/auth/authenticate.ts`,
    find: "const live = held.filter((grant) => !isOver(grant, now));",
    replace: "const live = held;",
    also: [{ find: "if (token.revokedAt !== null) {", replace: "if (false) {" }],
    by: "walk",
  },
  {
    name: "the next window begins a character late",
    file: `${server}/read/cut-window.ts`,
    find: '{ kind: "from", at: from, limit }',
    replace: '{ kind: "from", at: from + 1, limit }',
    by: "walk",
  },
  {
    name: "lengths in UTF-16 units",
    file: `${evidence}/text.ts`,
    find: "if (!astral.test(text)) return text.length;\n  let pairCount",
    replace: "if (text !== null) return text.length;\n  let pairCount",
    by: "packages/evidence/src/text.test.ts",
  },
  {
    name: "a window forgets its version",
    file: `${server}/read/read-field.ts`,
    find: 'if (asked.kind !== "cursor") return { version, window: asked };',
    replace: 'if (asked.kind !== "cursor") return { version: undefined, window: asked };',
    by: "walk",
    args: ["--seed", "71", "--vaults", "40", "--only", "20"],
  },
  {
    name: "a cursor in another spelling is taken",
    file: `${server}/read/cursor.ts`,
    find: 'if (bytes.toString("base64url") !== cursor)',
    replace: "if (false)",
    by: "packages/server/src/read/cursor.test.ts",
  },
  {
    name: "a cursor that is not bound to its query",
    file: `${server}/read/cursor.ts`,
    find: 'const digestOf = (binding: Json): Buffer => createHash("sha256").update(JSON.stringify(binding)).digest();',
    replace: 'const digestOf = (_binding: Json): Buffer => createHash("sha256").digest();',
    by: "packages/server/src/read/cursor.test.ts",
  },
  {
    name: "a continuation without connection_id",
    file: `${mcp}/render/schema-stream.ts`,
    find: "arguments: { stream: stream.name, connection_id },",
    replace: "arguments: { stream: stream.name },",
    by: "walk",
  },
  {
    name: "only the first eight connections are listed",
    file: `${mcp}/render/schema-stream.ts`,
    find: "...connectionsOf(connector, stream).map((connection) =>",
    replace: "...connectionsOf(connector, stream).slice(0, 8).map((connection) =>",
    by: "walk",
    args: ["--seed", "1", "--vaults", "12", "--only", "11"],
  },
  {
    name: "a title guessed from a field's name",
    file: `${evidence}/title.ts`,
    find: '({ name, role }) => role === "primary-title" && shows',
    replace: '({ name, role }) => (role === "primary-title" || name === "title") && shows',
    by: "packages/evidence/src/evidence.property.test.ts",
    args: ["-t", "EVI-2"],
  },
  {
    name: "data in an error message",
    file: `${server}/read/read-field.ts`,
    find: "`the record has nothing at ${field}`",
    replace: "`the record has nothing at ${field}: ${JSON.stringify(data)}`",
    by: "fuzz",
  },
  {
    name: "a cut preview without its read",
    file: `${evidence}/forms/card.ts`,
    find: '["not complete:", callLine(rest)]',
    replace: '["not complete:"]',
    by: "walk",
  },
  {
    name: "records are dropped from a page that is too long",
    file: `${server}/read/query-records.ts`,
    find: "return { data, page: listed.slice(0, data.length) };",
    replace: "return { data, page: listed };",
    by: "walk",
  },
  {
    name: "results half as long again as they may be",
    file: `${evidence}/forms/size.ts`,
    find: "raw: 8000,",
    replace: "raw: 12_000,",
    by: "walk",
  },
  {
    name: "a boundary that whoever wrote the record knows",
    file: `${mcp}/render/field-window.ts`,
    find: "const nonce = context.nonce(id, field.path, read.record_version, start, end);",
    replace: 'const nonce = "0123456789ab";',
    by: "walk",
  },
  {
    name: "line separators in a preview stay as they are",
    file: `${evidence}/forms/call.ts`,
    find: "/[\\u0085\\u2028\\u2029]/g",
    replace: "/[\\u0085]/g",
    by: "walk",
  },
  {
    name: "a field's name begins a line of ours",
    file: `${evidence}/forms/hit.ts`,
    find: "`${oneLine(passage.field_path)}${where}",
    replace: "`${passage.field_path}${where}",
    by: "walk",
    args: ["--seed", "11", "--vaults", "1000", "--only", "15"],
  },
  {
    name: "a value passes for another line of a document",
    file: `${evidence}/document.ts`,
    find: "unplain.test(shown) || isJson(shown)",
    replace: "isJson(shown)",
    by: "walk",
  },
  {
    name: "fields that did not fit a document are forgotten",
    file: `${evidence}/document.ts`,
    find: "fetchAfter(place, kept.at(-1)!.name, options.fields)",
    replace: "fetchAfter(place, all.at(-2)!.name, options.fields)",
    by: "packages/evidence/src/document.test.ts",
  },
  {
    name: "the structured form has no next window",
    file: `${mcp}/render/field-window.ts`,
    find: "    ...(next === undefined ? {} : { next: callObject(next) }),\n",
    replace: "",
    by: "walk",
  },
  {
    name: "bytes as text are shown",
    file: `${server}/read/cut-window.ts`,
    find: "last: Math.min(last, behind?.start_chars ?? source.chars),",
    replace: "last,",
    by: "walk",
  },
  {
    name: "the text behind bytes is reached a character late",
    file: `${server}/read/encoded-in.ts`,
    find: "place = run.end_chars;",
    replace: "place = run.end_chars + 1;",
    by: "walk",
  },
  {
    name: "the characters of a stored text are guessed",
    file: `${server}/read/text-encoding.ts`,
    find: 'const name = declared ?? declaredInside(beginning, mediaTypes) ?? "utf-8";',
    replace: 'const name = declaredInside(beginning, mediaTypes) ?? (declared ? "latin1" : "utf-8");',
    by: "walk",
  },
  {
    name: "an error repeats all that it was sent",
    file: `${mcp}/problem.ts`,
    find: "return line.length <= longestMessage ? line :",
    replace: "return line !== null ? line :",
    by: "fuzz",
  },
  {
    name: "a command of the next page loses its connection",
    file: `${cli}/render/continuation.ts`,
    find: "  return { words, rest: Object.fromEntries(given) };",
    replace:
      '  const kept = input.cursor === undefined ? given : given.filter(([name]) => name !== "connection_id");\n  return { words, rest: Object.fromEntries(kept) };',
    by: "walk",
  },
  {
    name: "a cut value on the command line without its read",
    file: `${cli}/render/card.ts`,
    find: "...(rest === undefined ? [] : [continuation(view, rest)]),",
    replace: "",
    by: "walk",
  },
  {
    name: "a quote in a name ends a word of a command",
    file: `${cli}/render/continuation.ts`,
    find: "return `'${text.replaceAll(\"'\", \"'\\\\''\")}'`;",
    replace: "return `'${text}'`;",
    by: "walk",
  },
  {
    name: "a terminal is sent the control characters of a text",
    file: `${cli}/render/window.ts`,
    find: "if (!view.terminal) return window.text;",
    replace: "if (window !== null) return window.text;",
    by: "walk",
  },
  {
    name: "line separators in a name stay as they are on the command line",
    file: `${cli}/record-id.ts`,
    find: "\\u2028-\\u202e",
    replace: "\\u202a-\\u202e",
    by: "walk",
  },
  {
    name: "what is asked for is printed",
    file: `${server}/http/mcp.ts`,
    find: 'const stream = given.get("stream");',
    replace: 'const stream = given.get("stream");\n    console.error(JSON.stringify(input));',
    by: "walk",
  },
  {
    name: "a delete does not look at the connector it names",
    file: `${server}/owner/connection-named.ts`,
    find: "connector === undefined ? byId : byId.filter(isOf)",
    replace: "byId",
    by: "tests/rest/inputs.test.ts",
  },
  {
    name: "the access log tells more than was shown",
    file: `${server}/http/pipeline.ts`,
    find: "disclose: current.disclose }",
    replace: "disclose: (let_out) => current.disclose({ ...let_out, records: let_out.records + 10 }) }",
    by: "tests/mcp/access-log.test.ts",
  },
];
