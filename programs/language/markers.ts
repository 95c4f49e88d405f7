/** Phrases that a native engineer would hardly write in a comment, a label or a document. Each is one alternative of the expression. */
const phrases = [
  "so many",
  "so much",
  "stands?(?! (?:for|out|alone|up\\b|in for))",
  "stood",
  "(?:goes?|went|going) on(?! to)",
  "told",
  "tells? (?:of|what|how|when|where|whether|nothing|apart)",
  "whoever",
  "whatever",
  "nobody",
  "(?:is|are|was|were) over",
  "(?:is|are) none",
  "that is none",
  "lies",
  "at hand",
  "of (?:its|their|his|her|your|our) own",
  "(?:begin|began|begun)s? with(?=[,.;]|$)",
  "meanwhile",
  "anew",
  "mend(?:s|ed|ing)?",
  "beside(?! the point)",
  "put aside|puts aside|set aside|kept aside|keeps? .{1,30} aside",
  "c(?:omes|ame) in(?!to)",
  "that which",
  "of which",
  "by which",
  "(?:as|than) it was(?=[,.;]|$)",
  "as (?:it|they) (?:came|come|stands?)(?=[,.;]|$)",
  "has it(?:self)? (?:that|so)",
  "is (?:not )?(?:asked|looked) (?:for|at)",
  "(?:is|are|was|were) (?:looked|asked) (?:for|at)",
  "behind (?:it|them|the (?:value|match|end|last|first|name|page|window|limit|cursor|point|place))",
  "of a kind",
  "one (?:after|by) the other",
  "no longer than it",
];

/** A sentence whose subject is a clause: "What is not granted has no name." */
const clauseAsSubject = /(?:^|[.;] )What (?!if\b|about\b|happens\b)[^?.]*(?:[.,;]|$)/;

/** Finds the first phrase of the old style in a text. */
export function findMarker(text: string): string | undefined {
  return (pattern.exec(text) ?? clauseAsSubject.exec(text))?.[0];
}

const pattern = new RegExp(`(?<![\\w-])(?:${phrases.join("|")})(?![\\w-])`, "i");
