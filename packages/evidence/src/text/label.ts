/**
 * Names that others chose: of clients, sources, streams, files. They are shown in sentences of ours, so no character in them may act on
 * its surroundings, and none may be longer than a line. Record ids and record texts are not names.
 */

/** Format characters, such as direction controls and zero-width spaces, except the joiners that scripts and emoji need. */
const invisible = /[\p{Cf}--[\u200c\u200d]]/gv;
const lineBreaksAndControls = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

export const maxLabelChars = 120;

/** A name on one line, without controls and invisible characters, and of limited length. */
export function cleanLabel(text: string, maxChars = maxLabelChars): string {
  // Cut before and after: the patterns need not read all of a long name.
  const clean = text
    .slice(0, maxChars * 4)
    .toWellFormed()
    .replace(lineBreaksAndControls, " ")
    .replace(invisible, "")
    .trim();
  if (clean.length <= maxChars && text.length <= maxChars * 4) return clean;
  return `${clean
    .slice(0, maxChars)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}

/** A clean name for plain text. One that runs from right to left is isolated (FSI … PDI), so that it cannot reorder its neighbours. */
export function isolateLabel(text: string, maxChars = maxLabelChars): string {
  return isolate(cleanLabel(text, maxChars));
}

/** For text without direction controls. */
export const isolate = (clean: string): string => (rightToLeft.test(clean) ? `\u2068${clean}\u2069` : clean);
