/** The bounds on the size of what is shown, in characters unless it says otherwise. How large a tool's result may be: `forms/size.ts`. */
export const budget = {
  window: {
    /** A field window when no limit is asked for, and the most one can ask for. */
    chars: 4096,
    mostChars: 16_384,
    /** A window of a tool when no limit is asked for: with it, both forms of the result fit the tightest host. */
    toolChars: 2800,
    /** Around a match: what is shown unless asked otherwise, and the most one can ask for on each side. */
    beforeChars: 400,
    afterChars: 1200,
    mostContextChars: 8192,
    /** A window gives up so much, in UTF-16 units, to begin or end between words. */
    wordUnits: 40,
  },
  /** What hosts pass of the result of a tool: each form by itself, whatever was asked for. */
  result: {
    formBytes: 30_000,
    formTokens: 8000,
    lineChars: 16_000,
    /** What the protocol adds around both forms. */
    envelopeChars: 260,
  },
  match: {
    /** A field up to this length is shown whole, unless its tags would take more than as much again. */
    wholeChars: 400,
    /** The target for a passage of a longer field, with tags and dots; the plain text is shorter. */
    previewChars: 239,
    /** A passage may be longer than that at each end, to include the rest of a sentence or of the field. */
    slackChars: 48,
    /** A passage may give up so much at each end, to stop with a sentence or apart from a number. */
    giveUpChars: 80,
    /** Matched words with what stands between them, and their tags; the rest of the preview is for the words around. */
    coreChars: 140,
    /** So many passages of a hit at most. */
    windows: 2,
    /** So many matches are looked at to choose the best window. */
    spans: 2000,
    /** The text is searched in pieces of about this size, until there are enough matches. In UTF-16 units. */
    scanUnits: 65_536,
  },
  hit: {
    /** Passages and details of a hit together; who it is from and amounts are shown in any case. */
    chars: 240,
    /** A detail that is not a text to read. */
    detailChars: 80,
    /** The beginning of its text. */
    bodyChars: 160,
    /** A later sentence of it that states an amount or another number. */
    factChars: 140,
    /** Values of a list, and fields of one role. */
    detailValues: 3,
    /** How the reply to a question begins. */
    replyChars: 200,
    /** Times of similar hits. */
    similarTimes: 4,
    /** With longer passages there is no room for further details; less than `minChars` is left empty. */
    shortPassageChars: 100,
    minChars: 24,
  },
  field: {
    /** A value up to this length is shown whole. */
    inlineChars: 300,
    /** The beginning of a longer one. */
    previewChars: 200,
    /** A unit beside a number; a longer text is no unit. */
    unitChars: 40,
    blobReferences: 8,
    /** A reference's own texts; longer ones are not described. */
    blobTextChars: 256,
  },
  card: {
    titleChars: 120,
    fields: 12,
    /** Fields that are empty, or that the title shows already, beside these. */
    idleFields: 24,
    /** All values of a card together. */
    chars: 1500,
    /** A continuation names so many fields; for more it asks for the whole record. */
    namedFields: 24,
  },
  document: {
    /** The text and what is said of the fields, together. */
    chars: 8192,
    /** What is said of a field beside its value. */
    fieldChars: 160,
  },
  /** When a text counts as encoded bytes; `binary.ts` says why these. */
  encoded: {
    dataUrlChars: 32,
    signedChars: 64,
    mixedChars: 512,
    anyChars: 2048,
    tokenChars: 4096,
    /** So much of a value's beginning is measured. */
    sampleChars: 65_536,
    /** Share of a value that must be encoded for the value to be. */
    share: 0.9,
    /** Share of neighbouring letters and digits that differ in class. */
    changes: 0.4,
  },
} as const;
