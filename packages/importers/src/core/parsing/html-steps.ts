import { Parser } from "htmlparser2";

/** Streams the tags and texts of an HTML file in document order. */
export type HtmlStep =
  | {
      readonly kind: "open";
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
      readonly at: number;
    }
  | { readonly kind: "close"; readonly name: string; readonly at: number }
  | { readonly kind: "text"; readonly text: string; readonly at: number };

/** No app writes pages that are nested deeper. */
const maxDepth = 2000;

export class NestingError extends Error {}

export async function* parseHtml(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<HtmlStep> {
  const decoder = new TextDecoder("utf-8");
  let steps: HtmlStep[] = [];
  let depth = 0;
  const parser: Parser = new Parser({
    onopentag(name, attributes) {
      depth += 1;
      if (depth > maxDepth) throw new NestingError("tags are nested too deeply for a real page");
      steps.push({ kind: "open", name, attributes, at: parser.startIndex });
    },
    onclosetag(name) {
      depth -= 1;
      steps.push({ kind: "close", name, at: parser.startIndex });
    },
    ontext(text) {
      steps.push({ kind: "text", text, at: parser.startIndex });
    },
  });
  for await (const chunk of chunks) {
    parser.write(decoder.decode(chunk, { stream: true }));
    yield* steps;
    steps = [];
  }
  parser.end();
  yield* steps;
}

export const hasClass = (attributes: Readonly<Record<string, string>>, name: string): boolean =>
  (attributes.class ?? "").split(/\s+/).includes(name);
