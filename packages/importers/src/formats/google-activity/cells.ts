import { hasClass, parseHtml } from "../../core/parsing/html-steps.ts";
import { cleanText } from "../../core/text/clean.ts";

export interface ActivityCell {
  readonly header: string | null;
  /** Text lines; one of them is the time. */
  readonly lines: readonly string[];
  readonly url: string | null;
  readonly captions: readonly string[];
  /** End offset in the page. */
  readonly end: number;
}

/** Characters kept of one event. */
const maxChars = 100_000;

type Place = "header" | "content" | "caption" | "elsewhere";

class Draft {
  readonly #texts: Record<Place, string> = { header: "", content: "", caption: "", elsewhere: "" };
  url: string | null = null;

  add(place: Place, text: string): void {
    if (this.#texts[place].length < maxChars) this.#texts[place] += text;
  }

  finish(end: number): ActivityCell {
    const { header, content, caption } = this.#texts;
    const captions = splitLines(caption).filter((line) => !/^[^:]{1,40}:$/.test(line));
    return {
      header: splitLines(header)[0] ?? null,
      lines: splitLines(content),
      url: this.url === null ? null : cleanText(this.url),
      captions: [...new Set(captions)],
      end,
    };
  }
}

/** `<br>` and paragraphs end a line; line breaks of the HTML source do not. */
const splitLines = (text: string): string[] =>
  cleanText(text)
    .split("\u2028")
    .map((line) => line.replace(/\s+/g, " ").trim())
    .filter((line) => line !== "");

const lineBreaks = new Set(["br", "p", "li", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6"]);

export async function* readActivityCells(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ActivityCell> {
  let draft: Draft | undefined;
  let place: Place = "elsewhere";
  for await (const step of parseHtml(bytes)) {
    if (step.kind === "open") {
      const { attributes } = step;
      if (hasClass(attributes, "outer-cell")) {
        if (draft !== undefined) yield draft.finish(step.at);
        [draft, place] = [new Draft(), "elsewhere"];
      } else if (hasClass(attributes, "header-cell")) place = "header";
      else if (hasClass(attributes, "content-cell")) {
        place = hasClass(attributes, "mdl-typography--caption")
          ? "caption"
          : hasClass(attributes, "mdl-typography--text-right")
            ? "elsewhere"
            : "content";
      } else if (lineBreaks.has(step.name)) draft?.add(place, "\u2028");
      else if (step.name === "a" && place === "content" && draft !== undefined) draft.url ??= attributes.href ?? null;
    } else if (step.kind === "text") draft?.add(place, step.text.replaceAll("\u2028", " "));
    else if (step.name === "body" && draft !== undefined) {
      yield draft.finish(step.at);
      draft = undefined;
    }
  }
  if (draft !== undefined) yield draft.finish(Number.MAX_SAFE_INTEGER);
}
