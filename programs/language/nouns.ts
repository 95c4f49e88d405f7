/** Exported functions that may be nouns, with the reason. */
const allowed: readonly { readonly file: RegExp; readonly name: RegExp; readonly reason: string }[] = [
  {
    file: /^packages\/console\//,
    name: /./,
    reason: "pages and their parts are named after what they draw, like components",
  },
  {
    file: /\/oauth\//,
    name: /(Routes?|Page|Response)$/,
    reason: "factories of routes and pages are named after what they make",
  },
  { file: /./, name: /Error$/, reason: "a factory of an error reads like one: throw unknownConnectorError(key)" },
  { file: /\/store\//, name: /^(sql|raw|table|tableName|inShard)$/, reason: "SQL fragments read like SQL" },
  { file: /^packages\/cli\//, name: /^(main|usage)$/, reason: "the industry's names" },
  {
    file: /\/core\/records\/field\.ts$/,
    name: /./,
    reason: "a small language of field types: { sent: field.time(), text: field.body() }",
  },
  { file: /./, name: /^forEach/, reason: "the language's own name for it" },
];

export const isAllowedNoun = (file: string, name: string): boolean =>
  allowed.some((rule) => rule.file.test(file) && rule.name.test(name));
