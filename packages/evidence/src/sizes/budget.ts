/**
 * Size limits of what we show, in characters unless noted otherwise. Limits of a whole tool result are in
 * packages/mcp/src/layout/part.ts.
 */
export const budget = {
  window: {
    /** Default and maximum length of a field window. */
    chars: 4096,
    maxChars: 16_384,
    /** Default for tools: both copies in the result fit the strictest host. */
    toolChars: 2800,
    /** Context around a match: defaults, and the maximum on each side. */
    beforeChars: 400,
    afterChars: 1200,
    maxContextChars: 8192,
    /** How much a window may shrink to start or end between words, in UTF-16 units. */
    wordUnits: 40,
  },
  /** Limits of hosts for each copy in a tool result. */
  result: {
    maxBytes: 30_000,
    maxTokens: 8000,
    lineChars: 16_000,
    /** Added by the protocol around both copies. */
    envelopeChars: 260,
  },
  match: {
    /** Fields up to this length are shown whole, unless tags would more than double it. */
    wholeChars: 400,
    /** Target length of a passage from a longer field, including tags and dots. */
    previewChars: 239,
    /** How much each end of a passage may grow to complete a sentence or the field. */
    slackChars: 48,
    /** How much each end may shrink to stop at a sentence or away from a number. */
    giveUpChars: 80,
    /** Matched words, the text between them and their tags; the rest of the preview is context. */
    coreChars: 140,
    /** Passages per hit. */
    windows: 2,
    /** Matches considered when choosing the best window. */
    spans: 2000,
    /** The text is searched in pieces of about this size until there are enough matches. In UTF-16 units. */
    scanUnits: 65_536,
  },
  hit: {
    /** Passages and details together; actors and amounts are always shown. */
    chars: 240,
    /** A detail that is not body text. */
    detailChars: 80,
    /** The start of the body. */
    bodyChars: 160,
    /** A later sentence that states an amount or another number. */
    factChars: 140,
    /** Values of a list, and fields per role. */
    detailValues: 3,
    /** The start of the reply to a question. */
    replyChars: 200,
    /** Times of similar hits. */
    similarTimes: 4,
    /** Longer passages leave no space for further details; less than `minChars` stays empty. */
    shortPassageChars: 100,
    minChars: 24,
  },
  field: {
    /** Values up to this length are shown whole. */
    inlineChars: 300,
    /** The start of a longer value. */
    previewChars: 200,
    /** Longer texts are not shown as units. */
    unitChars: 40,
    blobReferences: 8,
    /** Longer texts in a blob reference are left out. */
    blobTextChars: 256,
  },
  card: {
    titleChars: 120,
    /** Parts of a title that is not declared: a name, and the first words of the text. */
    titlePartChars: 40,
    titleWordsChars: 48,
    fields: 12,
    /** Additional fields that are empty or repeat the title. */
    idleFields: 24,
    /** All values of a card together. */
    chars: 1500,
    /** A continuation names at most this many fields; beyond that it reads the whole record. */
    namedFields: 24,
  },
  document: {
    /** The text and the descriptions of fields together. */
    chars: 8192,
    /** Estimated size of a field's description besides its value. */
    fieldChars: 160,
  },
  /** When text counts as encoded bytes; see fields/binary.ts. */
  encoded: {
    dataUrlChars: 32,
    signedChars: 64,
    mixedChars: 512,
    anyChars: 2048,
    tokenChars: 4096,
    /** How much of a value is measured. */
    sampleChars: 65_536,
    /** The share of a value that must be encoded. */
    share: 0.9,
    /** The share of neighbouring letters and digits that differ in class. */
    changes: 0.4,
  },
} as const;
