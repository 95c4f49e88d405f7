import { measureGrowth } from "@pdpp/test-support/processes/cpu-time";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findField, findStream, type JsonObject, type Role, roles } from "./declaration.ts";
import { restrictDeclaration } from "./granted-declaration.ts";
import {
  compileRecordCheck,
  findForeignKeyHolder,
  InvalidManifestError,
  type ManifestIssue,
  parseManifest,
  parseStoredManifest,
} from "./manifest.ts";

const string = { type: "string" };
const note = {
  name: "notes",
  semantics: "append_only",
  primary_key: ["id"],
  cursor_field: "written_at",
  consent_time_field: "written_at",
  schema: {
    type: "object",
    required: ["id", "written_at"],
    properties: {
      id: string,
      written_at: { type: "string", format: "date-time", x_pdpp_role: "event-time", x_pdpp_type: "timestamp" },
      heading: { type: ["string", "null"], x_pdpp_role: "primary-title" },
      length: { type: "integer" },
      tags: { type: "array", items: string },
    },
  },
};

function withStreams(...streams: unknown[]): JsonObject {
  return {
    connector_id: "https://registry.example/connectors/notebook",
    connector_key: "notebook",
    version: "1.2.0",
    display_name: "Notebook",
    streams: streams as JsonObject[],
  };
}

const withNote = (changes: object) => withStreams({ ...note, ...changes });
const withProperties = (properties: object, changes: object = {}) =>
  withNote({
    cursor_field: null,
    consent_time_field: null,
    schema: { type: "object", properties: { id: string, ...properties } },
    ...changes,
  });

function listIssues(json: unknown): ManifestIssue[] {
  try {
    parseManifest(json);
  } catch (error) {
    if (error instanceof InvalidManifestError) return error.faults;
    throw error;
  }
  return [];
}

const formatIssues = (json: unknown) =>
  listIssues(json).map((issue) => `${issue.path} ${issue.code.split(".").at(-1)}`);
const streamIn = (json: unknown) => parseManifest(json).streams[0]!;
const kindOf = (property: unknown, extra: object = {}) => {
  const schema = { type: "object", properties: { id: string, it: property }, ...extra };
  return findField(streamIn(withNote({ cursor_field: null, consent_time_field: null, schema })), "it")!.kind;
};

describe("a connector manifest", () => {
  it("is normalised, with what it says kept as written", () => {
    const json = { ...withNote({ required: true, query: { aggregations: { count: true } } }), setup: { a: 1 } };
    const connector = parseManifest(json);
    expect(connector).toMatchObject({
      connectorKey: "notebook",
      connectorId: "https://registry.example/connectors/notebook",
      sourceKind: "connector",
      version: "1.2.0",
      displayName: "Notebook",
    });
    expect(connector.manifest).toBe(json);
    expect(connector.streams[0]).toMatchObject({
      semantics: "append_only",
      primaryKey: ["id"],
      cursorField: "written_at",
      consentTimeField: "written_at",
      selection: { fields: true, resources: true },
      countable: true,
      views: [],
      relationships: [],
    });
    expect(connector.streams[0]!.fields.map((field) => [field.name, field.kind, field.nullable])).toEqual([
      ["id", "text", false],
      ["written_at", "date-time", false],
      ["heading", "text", true],
      ["length", "integer", true],
      ["tags", "json", true],
    ]);
    expect(findField(connector.streams[0]!, "written_at")).toMatchObject({ role: "event-time", type: "timestamp" });
  });

  it("takes its key from its id when it gives none, and its id from its key", () => {
    const { connector_key: _, ...keyless } = withStreams(note);
    expect(parseManifest(keyless).connectorKey).toBe("notebook");
    expect(parseManifest({ ...keyless, connector_id: "urn:x:My Notes!?v=1" }).connectorKey).toBe("My-Notes-");
    const { connector_id: __, ...idless } = withStreams(note);
    expect(parseManifest(idless).connectorId).toBe("notebook");
    expect(formatIssues({ ...keyless, connector_id: "https://" })).toEqual([]);
    expect(formatIssues({ ...keyless, connector_id: "://" })).toEqual(["$.connector_id invalid"]);
  });

  it.each(["", "-x", "a/b", "é", "a".repeat(129), "a\n"])("refuses the key %j", (key) => {
    expect(formatIssues({ ...withStreams(note), connector_key: key })).toEqual(["$.connector_key invalid"]);
  });

  it.each(["", "*", "a/b", "a:b", "a\u0007b", "a".repeat(201), "\ud800"])("refuses a stream called %j", (name) => {
    expect(formatIssues(withNote({ name }))).toEqual(["$.streams[0].name invalid"]);
  });

  it.each([
    ["append", "append_only"],
    ["immutable_log", "append_only"],
    ["append_only", "append_only"],
    [undefined, "mutable_state"],
    [null, "mutable_state"],
  ])("reads the semantics %j as %s", (semantics, expected) => {
    expect(streamIn(withNote({ semantics })).semantics).toBe(expected);
  });

  it("accepts a single string as primary key", () => {
    expect(streamIn(withNote({ primary_key: "id" })).primaryKey).toEqual(["id"]);
  });

  it("tells every fault, path first, one line each", () => {
    const json = withStreams(
      { ...note, semantics: "sometimes", primary_key: ["nope", "tags"], cursor_field: "nope" },
      { ...note, consent_time_field: "heading", selection: { fields: "yes" }, display: { label: 1 } },
    );
    expect(formatIssues(json)).toEqual([
      "$.streams[0].semantics invalid",
      "$.streams[0].primary_key[0] unknown_schema_field",
      "$.streams[0].primary_key[1] invalid",
      "$.streams[0].cursor_field unknown_schema_field",
      "$.streams[1].consent_time_field invalid",
      "$.streams[1].display.label invalid",
      "$.streams[1].selection.fields invalid",
      "$.streams[1].name duplicate_stream_name",
    ]);
    expect(() => parseManifest(json)).toThrow(/^\$\.streams\[0\]\.semantics: .*\n\$\.streams\[0\]\.primary_key\[0\]: /);
  });

  it.each([
    [null, "$ invalid"],
    [[], "$ invalid"],
    [{ ...withStreams(note), streams: [] }, "$.streams invalid"],
    [{ ...withStreams(note), streams: undefined }, "$.streams invalid"],
    [{ ...withStreams(note), version: "" }, "$.version invalid"],
    [withStreams(7), "$.streams[0] invalid"],
    [withNote({ schema: undefined }), "$.streams[0].schema invalid"],
    [withNote({ schema: { type: "array", properties: note.schema.properties } }), "$.streams[0].schema.type invalid"],
    [withNote({ primary_key: [] }), "$.streams[0].primary_key invalid"],
    [withNote({ query: [] }), "$.streams[0].query invalid"],
    [withNote({ query: { aggregations: 1 } }), "$.streams[0].query.aggregations invalid"],
    [withProperties({ "": string }), '$.streams[0].schema.properties[""] invalid'],
    [withProperties({ "a\0b": string }), '$.streams[0].schema.properties["a\\u0000b"] invalid'],
  ] as [unknown, string][])("refuses what is not even of the right shape: %#", (json, fault) => {
    expect(formatIssues(json)).toContain(fault);
  });

  it("checks views", () => {
    const views = [
      { id: "short", label: "Short", fields: ["id", "heading"] },
      { id: "short", fields: ["id", "gone"] },
    ];
    expect(formatIssues(withNote({ views }))).toEqual([
      "$.streams[0].views[1].fields[1] unknown_schema_field",
      "$.streams[0].views[1].id duplicate_view_id",
    ]);
    expect(streamIn(withNote({ views: views.slice(0, 1) })).views).toEqual(views.slice(0, 1));
    expect(streamIn(withNote({ views: [{ id: "nothing", fields: [] }] })).views).toEqual([]);
  });
});

describe("a core source declaration", () => {
  const core = {
    protocol_version: "0.1.0",
    source: { kind: "provider_native", id: "https://notes.example/api/notebook" },
    declaration_version: "sha256:abc",
    publisher: { id: "https://notes.example" },
    display: { name: "Notebook" },
    streams: [{ ...note, views: [{ id: "short", fields: ["id"] }] }],
  };

  it("reads like a manifest", () => {
    expect(parseManifest(core)).toMatchObject({
      connectorKey: "notebook",
      connectorId: "https://notes.example/api/notebook",
      sourceKind: "provider_native",
      version: "sha256:abc",
      displayName: "Notebook",
    });
    expect(parseManifest({ ...core, connector_key: "nb" }).connectorKey).toBe("nb");
  });

  it("tells what it lacks", () => {
    const json = { source: { kind: "cloud", id: "notebook" }, protocol_version: "9", streams: [note] };
    expect(formatIssues(json)).toEqual(["$.protocol_version invalid", "$.source.kind invalid"]);
    expect(formatIssues({ source: { kind: "connector", id: "notebook" }, streams: [note] })).toEqual([
      "$.protocol_version invalid",
      "$.source.id invalid",
      "$.declaration_version invalid",
      "$.display invalid",
      "$.publisher invalid",
    ]);
  });

  it("checks selection presets", () => {
    const selection_presets = [
      {
        id: "a",
        label: "A",
        streams: [
          { name: "notes", view: "short" },
          { name: "notes", view: "long" },
        ],
      },
      { id: "a", label: "A", streams: [{ name: "gone" }, { name: "notes", fields: ["id", "gone"] }] },
    ];
    expect(formatIssues({ ...core, selection_presets })).toEqual([
      "$.selection_presets[0].streams[1].name duplicate_preset_stream_name",
      "$.selection_presets[0].streams[1].view unknown_view",
      "$.selection_presets[1].id duplicate_preset_id",
      "$.selection_presets[1].streams[0].name unknown_stream",
      "$.selection_presets[1].streams[1].fields[1] unknown_schema_field",
    ]);
  });
});

describe("field kinds", () => {
  it.each([
    [{ type: "string" }, "text"],
    [{ type: ["null", "boolean"] }, "boolean"],
    [{ type: ["integer", "number"] }, "number"],
    [{ type: ["string", "integer"] }, "json"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: ["string", "null"], format: "date-time" }, "date-time"],
    [{ type: "string", format: "email" }, "text"],
    [{ anyOf: [{ type: "string", format: "date" }, { type: "null" }] }, "date"],
    [{ oneOf: [{ type: "number" }, { type: "string" }] }, "json"],
    [{ enum: ["a", "b", null] }, "text"],
    [{ enum: ["a", 1] }, "json"],
    [{ const: 3 }, "integer"],
    [{ type: "object" }, "json"],
    [{}, "json"],
    [true, "json"],
    [{ $ref: "#/$defs/when" }, "date"],
    [{ anyOf: [{ $ref: "#/$defs/when" }, { $ref: "#/$defs/none" }] }, "date"],
    [{ $ref: "#/$defs/a~1b%20c" }, "integer"],
    [{ $ref: "#/$defs/tree" }, "json"],
    [{ $ref: "#" }, "json"],
  ])("%j is %s", (property, kind) => {
    const $defs = {
      when: { type: "string", format: "date" },
      none: { type: "null" },
      "a/b c": { type: "integer" },
      tree: { anyOf: [string, { type: "array", items: { $ref: "#/$defs/tree" } }] },
    };
    expect(kindOf(property, { $defs })).toBe(kind);
  });

  it("marks what holds blob references", () => {
    const properties = {
      blob_ref: { type: "object" },
      scan: { x_pdpp_role: "blob-reference" },
      raw: { x_pdpp_type: "blob" },
    };
    const blobs = streamIn(withProperties(properties)).fields.filter((field) => field.blob);
    expect(blobs.map((field) => field.name)).toEqual(["blob_ref", "scan", "raw"]);
  });
});

describe("schemas", () => {
  it("may refer only to themselves", () => {
    const json = withProperties({
      far: { $ref: "https://other.example/schema.json" },
      list: { type: "array", items: { anyOf: [{ $dynamicRef: "other.json" }] } },
      near: { $ref: "#/properties/id" },
    });
    expect(formatIssues(json)).toEqual([
      "$.streams[0].schema.properties.list.items.anyOf[0].$dynamicRef nonlocal_schema_reference",
      "$.streams[0].schema.properties.far.$ref nonlocal_schema_reference",
    ]);
  });

  it("may have a field that is called like a keyword, and data that looks like a schema", () => {
    const properties = {
      $ref: string,
      pattern: string,
      it: { const: { $ref: "https://other.example", pattern: "(" } },
    };
    expect(formatIssues(withProperties(properties))).toEqual([]);
  });

  it.each([{ it: { type: "strnig" } }, { it: { minLength: -1 } }, { it: { $ref: "#/$defs/missing" } }, { it: 3 }])(
    "refuses %j",
    (properties) => expect(formatIssues(withProperties(properties))).toContain("$.streams[0].schema invalid"),
  );

  it("refuses patterns that are no regular expressions, and takes those that are only without the u flag", () => {
    const pattern = "$.streams[0].schema.properties.it.pattern invalid";
    expect(formatIssues(withProperties({ it: { type: "string", pattern: "(" } }))).toEqual([pattern]);
    expect(formatIssues(withProperties({ it: { patternProperties: { "[": {} } } }))).toHaveLength(1);
    expect(formatIssues(withProperties({ it: { type: "string", pattern: "^[\\w-.]+\\-$" } }))).toEqual([]);
  });

  it("of two manifests do not meet, even with the same $id", () => {
    const withId = (it: object) =>
      withNote({
        cursor_field: null,
        consent_time_field: null,
        schema: { $id: "https://x.example/s", type: "object", properties: { id: string, it } },
      });
    expect(kindOf({ $id: "https://x.example/n", type: "string" })).toBe("text");
    expect(kindOf({ $id: "https://x.example/n", type: "number" })).toBe("number");
    const text = compileRecordCheck(streamIn(withId(string)));
    const number = compileRecordCheck(streamIn(withId({ type: "number" })));
    expect([text({ it: "a" }), number({ it: 1 })]).toEqual([null, null]);
  });
});

describe("query capabilities", () => {
  const properties = {
    title: { type: ["string", "null"] },
    day: { type: "string", format: "date" },
    size: { type: ["integer", "null"] },
    open: { type: "boolean" },
    tags: { type: "array" },
  };

  it("become properties of the fields", () => {
    const query = {
      search: { lexical_fields: ["title", "day"], semantic_fields: ["title"] },
      range_filters: { day: ["gte", "lt"], size: [] },
      aggregations: { count: true, sum: ["size"], min: ["day"], group_by: ["open", "title"], group_by_time: ["day"] },
    };
    const stream = streamIn(withProperties(properties, { query }));
    expect(findField(stream, "title")).toMatchObject({ lexical: true, semantic: true, aggregations: ["group_by"] });
    expect(findField(stream, "day")).toMatchObject({
      lexical: true,
      semantic: false,
      rangeOperators: ["gte", "lt"],
      aggregations: ["min", "group_by_time"],
    });
    expect(findField(stream, "size")).toMatchObject({ rangeOperators: [], aggregations: ["sum"] });
    expect(stream).toMatchObject({ countable: true, query });
  });

  it("must suit the type of the field", () => {
    const query = {
      search: { lexical_fields: ["tags", "gone"], semantic_fields: ["size"] },
      range_filters: { title: ["gte"], size: ["between"] },
      aggregations: {
        sum: ["day"],
        max: ["open"],
        group_by: ["tags"],
        group_by_time: ["size"],
        count_distinct: ["tags"],
      },
    };
    expect(
      formatIssues(withProperties(properties, { query })).map((line) => line.replace("$.streams[0].query.", "")),
    ).toEqual([
      "search.lexical_fields[0] invalid_query_field_type",
      "search.lexical_fields[1] unknown_schema_field",
      "search.semantic_fields[0] invalid_query_field_type",
      "aggregations.sum[0] invalid_query_field_type",
      "aggregations.max[0] invalid_query_field_type",
      "aggregations.group_by[0] invalid_query_field_type",
      "aggregations.group_by_time[0] invalid_query_field_type",
      "aggregations.count_distinct[0] invalid_query_field_type",
      "range_filters.title invalid_query_field_type",
      "range_filters.size[0] invalid",
    ]);
  });
});

describe("roles", () => {
  const day = { type: ["string", "null"], format: "date" };
  const array = { type: "array", items: string };
  const object = { type: ["object", "null"] };
  const [integer, number, boolean] = [{ type: "integer" }, { type: ["number", "null"] }, { type: "boolean" }];
  const fits: Record<Role, [object[], object[]]> = {
    "primary-title": [
      [string, day],
      [integer, array, object, {}],
    ],
    secondary: [
      [string, day, integer, boolean],
      [array, object],
    ],
    body: [[string], [number, array]],
    "event-time": [
      [day, integer, number],
      [string, boolean, array],
    ],
    actor: [
      [string, array, object, { type: ["string", "array"] }],
      [integer, boolean],
    ],
    amount: [
      [integer, number, string, object],
      [boolean, array],
    ],
    media: [[string, array, object, {}], []],
    "blob-reference": [[string, array, object, {}], []],
  };

  it.each(roles)("%s goes with the types that a card can show for it [EVI-5]", (role) => {
    const listIssuesFor = (type: object) => formatIssues(withProperties({ it: { ...type, x_pdpp_role: role } }));
    for (const type of fits[role][0]) expect(listIssuesFor(type)).toEqual([]);
    for (const type of fits[role][1]) {
      expect(listIssuesFor(type)).toEqual(["$.streams[0].schema.properties.it.x_pdpp_role invalid_role_type"]);
    }
  });

  it("are a closed list [EVI-5]", () => {
    const path = "$.streams[0].schema.properties.it.x_pdpp_role";
    expect(formatIssues(withProperties({ it: { ...string, x_pdpp_role: "hero" } }))).toEqual([`${path} unknown_role`]);
    expect(formatIssues(withProperties({ it: { ...string, x_pdpp_role: ["body"] } }))).toEqual([`${path} invalid`]);
  });

  it("leave one primary title to a stream, any number of the rest [EVI-5]", () => {
    const title = { ...string, x_pdpp_role: "primary-title" };
    const more = { ...string, x_pdpp_role: "secondary" };
    expect(formatIssues(withProperties({ a: title, b: title, c: more, d: more }))).toEqual([
      "$.streams[0].schema.properties.b.x_pdpp_role duplicate_primary_title",
    ]);
  });

  it("inside a field are not the field's [EVI-5]", () => {
    const parts = { type: "array", items: { properties: { blob: { x_pdpp_role: "blob-reference" } } } };
    expect(findField(streamIn(withProperties({ parts })), "parts")!.role).toBeUndefined();
  });
});

describe("units", () => {
  const amount = { type: "number", x_pdpp_unit_field: "currency" };
  const path = "$.streams[0].schema.properties.total.x_pdpp_unit_field";

  it("[EVI-5] an amount names the field that holds its unit", () => {
    const { fields } = streamIn(withProperties({ total: amount, currency: string, plain: { type: "number" } }));
    expect(fields.map(({ name, unitField }) => [name, unitField])).toEqual([
      ["id", undefined],
      ["total", "currency"],
      ["currency", undefined],
      ["plain", undefined],
    ]);
  });

  it("[EVI-5] the unit must be another field of the stream, and a text", () => {
    const listIssuesFor = (total: object, more: object = {}) => formatIssues(withProperties({ total, ...more }));
    expect(listIssuesFor(amount)).toEqual([`${path} unknown_schema_field`]);
    expect(listIssuesFor({ ...amount, x_pdpp_unit_field: "total" })).toEqual([`${path} invalid_unit`]);
    expect(listIssuesFor(amount, { currency: { type: "number" } })).toEqual([`${path} invalid_unit`]);
    expect(listIssuesFor({ ...amount, x_pdpp_unit_field: ["currency"] }, { currency: string })).toEqual([
      `${path} invalid`,
    ]);
  });

  it("[EVI-5] only a number or a text has a unit", () => {
    const listIssuesFor = (type: object) =>
      formatIssues(withProperties({ total: { ...amount, ...type }, currency: string }));
    for (const type of ["integer", "number", "string"]) expect(listIssuesFor({ type })).toEqual([]);
    for (const type of ["boolean", "array", "object"])
      expect(listIssuesFor({ type })).toEqual([`${path} invalid_unit`]);
  });
});

describe("[SRCH-28] generated content", () => {
  const properties = { author: string, is_draft: { type: "boolean" }, length: { type: "integer" } };
  const declared = (generated: unknown) =>
    withProperties(properties, { query: { search: { lexical_fields: ["author"], generated } } });
  const path = "$.streams[0].query.search.generated";

  it("is declared by a field and the values that mean it", () => {
    const author = { field: "author", values: ["assistant"] };
    expect(streamIn(declared(author)).generated).toEqual(author);
    const draft = { field: "is_draft", values: [true] };
    expect(streamIn(declared(draft)).generated).toEqual(draft);
    expect(streamIn(declared(null)).generated).toBeUndefined();
  });

  it.each<[unknown, string]>([
    ["author", ""],
    [{ values: ["assistant"] }, ".field"],
    [{ field: "nobody", values: ["assistant"] }, ".field"],
    [{ field: "length", values: [1] }, ".field"],
    [{ field: "author" }, ".values"],
    [{ field: "author", values: [] }, ".values"],
    [{ field: "author", values: [true] }, ".values"],
    [{ field: "is_draft", values: ["true"] }, ".values"],
    [{ field: "author", values: Array.from({ length: 21 }, (_, i) => `a${i}`) }, ".values"],
  ])("is refused as %j", (generated, at) => {
    expect(formatIssues(declared(generated))).toEqual([`${path}${at} invalid`]);
    // A manifest that was registered before the rule is read without the declaration.
    expect(parseStoredManifest(JSON.stringify(declared(generated))).streams[0]?.generated).toBeUndefined();
  });
});

describe("relationships", () => {
  const stream = (name: string, keys: string[], changes: object = {}) => ({
    name,
    primary_key: ["id"],
    schema: { type: "object", properties: Object.fromEntries(["id", ...keys].map((key) => [key, string])) },
    ...changes,
  });
  const relation = (name: string, target: string, foreign_key: string, cardinality: string) => ({
    name,
    stream: target,
    foreign_key,
    cardinality,
  });
  const parts = relation("parts", "parts", "letter_id", "has_many");
  const letters = (changes: object) =>
    withStreams(stream("letters", ["box_id"], changes), stream("parts", ["letter_id"]));
  const expanded = (expand: object) =>
    letters({ relationships: [parts], query: { expand: [{ name: "parts", ...expand }] } });

  it.each([
    [{}, { defaultLimit: 10, maxLimit: 50 }],
    [
      { default_limit: 25, max_limit: 200 },
      { defaultLimit: 25, maxLimit: 200 },
    ],
    [{ max_limit: 5 }, { defaultLimit: 5, maxLimit: 5 }],
    [{ default_limit: 80 }, { defaultLimit: 80, maxLimit: 80 }],
  ])("expand with the limits %j", (limits, expand) => {
    expect(streamIn(expanded(limits)).relationships).toEqual([
      { name: "parts", stream: "parts", foreignKey: "letter_id", cardinality: "has_many", expand },
    ]);
  });

  it.each([{ default_limit: 60, max_limit: 50 }, { default_limit: 0 }, { max_limit: 1.5 }, { max_limit: "9" }])(
    "refuse the limits %j",
    (limits) => {
      expect(listIssues(expanded(limits)).map((fault) => fault.code)).toEqual([
        "source.declaration.invalid_expand_limits",
      ]);
    },
  );

  it("of one have no limits", () => {
    const box = relation("box", "parts", "box_id", "has_one");
    expect(formatIssues(letters({ relationships: [box], query: { expand: [{ name: "box", max_limit: 1 }] } }))).toEqual(
      ["$.streams[0].query.expand[0] invalid_expand_limits"],
    );
    const declared = letters({ relationships: [box], query: { expand: [{ name: "box" }] } });
    expect(streamIn(declared).relationships[0]!.expand).toEqual({ defaultLimit: 1, maxLimit: 1 });
  });

  it("have one name each, and are expanded once each", () => {
    const query = { expand: [{ name: "parts" }, { name: "parts" }, { name: "gone" }] };
    expect(formatIssues(letters({ relationships: [parts, parts], query }))).toEqual([
      "$.streams[0].query.expand[1].name duplicate_expand_name",
      "$.streams[0].relationships[1].name duplicate_relationship_name",
      "$.streams[0].query.expand[2].name unknown_relationship",
    ]);
  });

  const lost = relation("lost", "elsewhere", "box_id", "has_one");

  it.each([{}, { expand: [{ name: "lost" }] }])(
    "[REG-2] to a stream that is not there are refused, with query %j",
    (query) => {
      expect(formatIssues(letters({ relationships: [parts, lost], query }))).toEqual([
        "$.streams[0].relationships[1].stream unknown_stream",
      ]);
    },
  );

  it("[REG-2] to a stream that is not there are left out of a manifest that was registered before that was refused", () => {
    const { streams } = parseStoredManifest(JSON.stringify(letters({ relationships: [lost, parts] })));
    expect(streams[0]?.relationships.map(({ name }) => name)).toEqual(["parts"]);
  });

  it("need their key on one of the two streams", () => {
    const relationships = [
      relation("a", "parts", "gone", "has_many"),
      relation("b", "parts", "gone", "has_one"),
      relation("c", "parts", "box_id", "has_many"),
      relation("d", "parts", "letter_id", "belongs_to"),
    ];
    expect(formatIssues(letters({ relationships }))).toEqual([
      "$.streams[0].relationships[0].foreign_key unknown_schema_field",
      "$.streams[0].relationships[1].foreign_key unknown_schema_field",
      "$.streams[0].relationships[2].foreign_key unknown_schema_field",
      "$.streams[0].relationships[3].cardinality invalid",
    ]);
  });

  it.each([
    ["has_many", ["up_id"], ["up_id"], {}, {}, "related"],
    ["has_one", ["up_id"], [], { expand: true }, {}, "this"],
    ["has_one", [], ["up_id"], {}, {}, "related"],
    ["has_one", ["up_id"], ["up_id"], {}, {}, "this"],
    ["has_one", ["up_id"], ["up_id"], { expand: true }, {}, "related"],
    ["has_one", ["up_id"], ["up_id"], { expand: true }, { primary_key: "up_id" }, "this"],
    ["has_one", ["up_id"], ["up_id"], {}, { back: true }, "related"],
  ] as [string, string[], string[], { expand?: boolean }, { back?: boolean; primary_key?: string }, string][])(
    "%s by a key on %j and %j (%j, %j): %s holds it",
    (cardinality, here, there, { expand }, { back, ...rest }, holder) => {
      const json = withStreams(
        stream("ups", here, {
          relationships: [relation("down", "downs", "up_id", cardinality)],
          query: expand ? { expand: [{ name: "down" }] } : {},
        }),
        stream("downs", there, { ...rest, relationships: back ? [relation("up", "ups", "up_id", "has_one")] : [] }),
      );
      const connector = parseManifest(json);
      const [ups, downs] = [findStream(connector, "ups")!, findStream(connector, "downs")!];
      expect(findForeignKeyHolder(ups, downs, ups.relationships[0]!)).toBe(holder);
    },
  );

  it("a record that points at another of its own stream holds the key itself", () => {
    const answers = stream("letters", ["answers"], {
      relationships: [relation("answered", "letters", "answers", "has_one")],
      query: { expand: [{ name: "answered" }] },
    });
    const letters = findStream(parseManifest(withStreams(answers)), "letters")!;
    expect(findForeignKeyHolder(letters, letters, letters.relationships[0]!)).toBe("this");
  });
});

describe("record checks", () => {
  const schema = {
    type: "object",
    required: ["id"],
    additionalProperties: false,
    properties: {
      id: string,
      amount: { type: "number" },
      at: { type: ["string", "null"], format: "date-time" },
      mail: { type: "string", format: "email" },
      constructor: string,
      tree: { type: "array", items: { $ref: "#/properties/tree" } },
    },
  };
  const check = compileRecordCheck(streamIn(withProperties({}, { schema })));

  it.each([
    [{ id: "1", amount: 2, at: "2024-02-29 10:00", mail: "nobody" }, null],
    [{ id: "1", at: null }, null],
    [{ id: "1", amount: "2" }, "/amount must be number"],
    [{ amount: 1 }, "/ must have required property 'id'"],
    [{ id: "1", more: 1 }, '/ must NOT have additional properties such as "more"'],
  ])("%j: %s", (data, reason) => {
    expect(check(data as JsonObject)).toEqual(reason === null ? null : { refused: reason });
  });

  const notDate = (field: string, at = field) => ({ field, reason: `/${at} must match format "date-time"` });

  it("[ING-1] note a date-time that is none, in a field that nothing depends on", () => {
    expect(check({ id: "1", at: "yesterday" })).toEqual({ notes: [notDate("at")] });
    const either = compileRecordCheck(
      streamIn(
        withProperties({
          at: { anyOf: [{ type: "string", format: "date-time" }, { type: "null" }] },
          stays: {
            type: "array",
            items: { type: "object", properties: { "a/b": { type: "string", format: "date-time" } } },
          },
        }),
      ),
    );
    const fits = { id: "1", written_at: "2026-01-01" };
    expect(either({ ...fits, at: "soon", stays: [{}, { "a/b": "never" }] })).toEqual({
      notes: [notDate("at"), notDate("stays", "stays/1/a~1b")],
    });
    expect(either({ ...fits, at: "soon", stays: "none" })).toEqual({ refused: expect.any(String) });
  });

  it.each([
    ["sorted", { cursor_field: "at" }],
    ["filtered", { query: { range_filters: { at: ["gte"] } } }],
    ["what limits consent", { consent_time_field: "at" }],
    ["part of the key", { primary_key: ["id", "at"] }],
  ])("[ING-1] refuse a date-time that is none where it is %s", (_, more) => {
    const relied = compileRecordCheck(streamIn(withProperties({}, { schema, ...more })));
    expect(relied({ id: "1", at: "yesterday" })).toEqual({ refused: '/at must match format "date-time"' });
  });

  it("are not undone by a record that is too deep", () => {
    const tree = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    expect(check({ id: "1", tree })).toEqual({ refused: expect.stringMatching(/nested too deeply/) });
  });
});

describe("hostile input", () => {
  it("that is nested 100,000 deep is refused, wherever it is", () => {
    const deep = JSON.parse(`${'{"items":'.repeat(100_000)}{}${"}".repeat(100_000)}`);
    expect(formatIssues(deep)).toEqual(["$ invalid"]);
    expect(formatIssues(withProperties({ deep }))).toEqual(["$ invalid"]);
    expect(formatIssues({ ...withStreams(note), extension: deep })).toEqual(["$ invalid"]);
  });

  it("that is huge is refused at once", () => {
    expect(formatIssues({ ...withStreams(note), streams: Array(1_000_000).fill({}) })).toEqual(["$ invalid"]);
    expect(formatIssues(withNote({ primary_key: Array(1_000_000).fill("id") }))).toEqual(["$ invalid"]);
  });

  it("that is as large as allowed is read in linear time", async () => {
    const read = (fields: number) => {
      const names = Array.from({ length: fields }, (_, index) => [`f${index}`, { $ref: "#/$defs/text" }]);
      const schema = {
        type: "object",
        properties: { id: string, ...Object.fromEntries(names) },
        $defs: { text: string },
      };
      expect(formatIssues(withNote({ cursor_field: null, consent_time_field: null, schema }))).toEqual([]);
    };
    expect(
      await measureGrowth(
        () => read(99),
        () => read(999),
      ),
    ).toBeLessThan(50);
    const nested = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f${index}`, string]));
    expect(formatIssues(withProperties(nested))).toContain("$.streams[0].schema.properties invalid");
    expect(formatIssues(withProperties({ nested: { properties: nested } }))).toEqual(["$.streams[0].schema invalid"]);
  });

  it("with references that go round in circles or on and on is refused", () => {
    const refused = ["$.streams[0].schema invalid"];
    const circle = { loop: { $ref: "#/properties/pool" }, pool: { $ref: "#/properties/loop" } };
    expect(formatIssues(withProperties(circle))).toEqual(refused);
    const chain = Array.from({ length: 9_000 }, (_, index) => [
      `f${index}`,
      { $ref: `#/properties/in/$defs/f${index + 1}` },
    ]);
    const $defs = { ...Object.fromEntries(chain), f9000: string };
    expect(formatIssues(withProperties({ in: { $ref: "#/properties/in/$defs/f0", $defs } }))).toEqual(refused);
  });

  it("with __proto__ in it pollutes nothing and inherits nothing", () => {
    const text = JSON.stringify(withProperties({ proto: string }, { primary_key: "proto" }));
    const stream = streamIn(JSON.parse(text.replaceAll('"proto"', '"__proto__"')));
    expect(stream.fields.map((field) => field.name)).toEqual(["id", "__proto__"]);
    expect(stream.primaryKey).toEqual(["__proto__"]);
    const inherited = JSON.parse('{"__proto__":{"connector_key":"x","version":"1","streams":[{"name":"polluted"}]}}');
    expect(formatIssues(inherited)).toEqual(["$.connector_key invalid", "$.version invalid", "$.streams invalid"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(formatIssues(withNote({ primary_key: "constructor" }))).toEqual([
      "$.streams[0].primary_key unknown_schema_field",
    ]);
    expect(formatIssues(withNote({ query: { range_filters: { toString: ["gte"] } } }))).toHaveLength(1);
  });

  it("of any kind throws InvalidManifestError and nothing else", () => {
    const words = fc.constantFrom("notes", "id", "string", "#", "#/$defs/a", "has_one", "object", "body", "(", "*", "");
    const keys = fc.constantFrom(
      ..."streams name schema properties id $ref $defs a type anyOf required primary_key query expand search".split(
        " ",
      ),
      ..."lexical_fields aggregations sum range_filters relationships stream foreign_key cardinality views".split(" "),
      ..."connector_id connector_key version source display x_pdpp_role pattern __proto__ $id $schema items".split(" "),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 7 }, words, fc.jsonValue(), tie("array"), tie("object"), tie("object")),
      array: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(keys, tie("value"), { maxKeys: 8 }),
    }));
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), value), (json) => void listIssues(json)));
    fc.assert(fc.property(value, (changes) => void listIssues(withNote(changes as object))));
    fc.assert(fc.property(value, (schema) => void listIssues(withNote({ schema }))));
    fc.assert(fc.property(keys, value, (key, changed) => void listIssues(withProperties({ it: { [key]: changed } }))));
  });
});

describe("[SCH-16] presentation", () => {
  const properties = { ends_at: { type: "string", format: "date-time" }, author: string };
  const declared = (presentation: unknown) => withProperties(properties, { presentation });
  const event = {
    kind: "event",
    fields: { end: "ends_at" },
    own: { field: "author", values: ["me"] },
  };

  it("is read with its parts", () => {
    expect(streamIn(declared(event)).presentation).toEqual(event);
    expect(streamIn(declared({ kind: "photo" })).presentation).toEqual({ kind: "photo", fields: {} });
    expect(streamIn(declared(null)).presentation).toBeUndefined();
  });

  it("names only granted fields under a grant", () => {
    const { presentation } = restrictDeclaration(streamIn(declared(event)), new Set(["id"]));
    expect(presentation).toEqual({ kind: "event", fields: {} });
  });

  it.each([
    [{ kind: "chat" }, ".kind invalid"],
    [{}, ".kind invalid"],
    [{ kind: "event", fields: { until: "ends_at" } }, ".fields.until invalid"],
    [{ kind: "event", fields: { end: "finish" } }, ".fields.end unknown_schema_field"],
    [{ kind: "event", fields: { end: "author" } }, ".fields.end invalid"],
    [{ kind: "event", fields: { constructor: "author" } }, ".fields.constructor invalid"],
    [{ kind: "event", own: { field: "ends_at", values: ["x"] } }, ".own.field invalid"],
    [{ kind: "event", own: { field: "author", values: [] } }, ".own.values invalid"],
    ["event", " invalid"],
  ])("rejects %j when registered, and ignores it when stored", (presentation, at) => {
    expect(formatIssues(declared(presentation))).toEqual([`$.streams[0].presentation${at}`]);
    expect(() => parseStoredManifest(JSON.stringify(declared(presentation)))).not.toThrow();
  });
});
