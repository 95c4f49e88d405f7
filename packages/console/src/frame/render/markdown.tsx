import { createRequire } from "node:module";
import type { Marked, Token, Tokens } from "marked";
import type { Html } from "../frame.tsx";
import type { RenderWords } from "./marked-text.tsx";
import { renderVerbatim } from "./values.tsx";

/**
 * Renders Markdown as elements from a fixed list. HTML in it stays text, pictures become links, and nothing is loaded: the parser's tokens
 * are rendered here, so no markup of a record reaches the page.
 */

let parser: Marked | undefined;
/** Deeper lists and quotes are shown as they are written. */
const maxDepth = 20;

/** Its regular expressions take a tenth of a server's start, so it is loaded when a page needs it. */
function loadParser(): Marked {
  const marked = createRequire(import.meta.url)("marked") as typeof import("marked");
  return new marked.Marked({ gfm: true, breaks: true });
}

export function renderMarkdown(text: string, renderWords: RenderWords = renderVerbatim): Html {
  // The parser calls itself for each level of a quote or list.
  parser ??= loadParser();
  const tokens = hasDeepNesting(text) ? undefined : parser.lexer(text);
  if (tokens === undefined) return <p>{renderWords(text)}</p>;
  return <>{renderTokens(tokens, renderWords, 0)}</>;
}

const hasDeepNesting = (text: string): boolean => /^(?:[ \t]*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s))){20}/m.test(text);

const renderTokens = (tokens: readonly Token[] | undefined, words: RenderWords, depth: number): Html[] =>
  (tokens ?? []).map((token) => renderToken(token as MarkdownToken, words, depth));

type MarkdownToken =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.HTML
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text;

function renderToken(token: MarkdownToken, words: RenderWords, depth: number): Html {
  if (depth > maxDepth) return words(token.raw);
  const renderInner = (tokens: readonly Token[] | undefined): Html[] => renderTokens(tokens, words, depth + 1);
  switch (token.type) {
    case "space":
    case "def":
      return <></>;
    case "br":
      return <br />;
    case "hr":
      return <hr />;
    case "paragraph":
      return <p>{renderInner(token.tokens)}</p>;
    // The page has headings of its own.
    case "heading":
      return (
        <p>
          <strong>{renderInner(token.tokens)}</strong>
        </p>
      );
    case "blockquote":
      return <blockquote>{renderInner(token.tokens)}</blockquote>;
    case "strong":
      return <strong>{renderInner(token.tokens)}</strong>;
    case "em":
      return <em>{renderInner(token.tokens)}</em>;
    case "del":
      return <s>{renderInner(token.tokens)}</s>;
    case "codespan":
      return <code>{words(token.text)}</code>;
    case "code":
      return (
        <pre tabindex={0}>
          <code>{words(token.text)}</code>
        </pre>
      );
    case "link":
      return renderLink(token.href, renderInner(token.tokens));
    case "image":
      return renderLink(token.href, [<>Picture: {words(token.text || "no description")}</>]);
    case "list":
      return renderList(token, renderInner);
    case "table":
      return renderTable(token, renderInner);
    case "text":
      return token.tokens === undefined ? words(token.text) : <>{renderInner(token.tokens)}</>;
    case "escape":
      return words(token.text);
    case "html":
      return token.block ? <p>{words(token.raw)}</p> : words(token.raw);
    default: {
      const { raw }: Token = token;
      return words(raw);
    }
  }
}

type RenderInner = (tokens: readonly Token[] | undefined) => Html[];

function renderList({ ordered, start, items }: Tokens.List, renderInner: RenderInner): Html {
  const rendered = items.map(({ task, checked, tokens }) => (
    <li>
      {task && (checked === true ? "☑ " : "☐ ")}
      {renderInner(tokens.filter(({ type }) => type !== "checkbox"))}
    </li>
  ));
  if (!ordered) return <ul>{rendered}</ul>;
  return <ol start={typeof start === "number" && start !== 1 ? start : undefined}>{rendered}</ol>;
}

const renderTable = ({ header, rows }: Tokens.Table, renderInner: RenderInner): Html => (
  <div class="scroll" tabindex={0} role="region" aria-label="Table">
    <table>
      <thead>
        <tr>
          {header.map(({ tokens }) => (
            <th scope="col">{renderInner(tokens)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map(({ tokens }) => (
              <td>{renderInner(tokens)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Only links to web and mail addresses; they open when clicked and send no referrer. */
function renderLink(href: string, inner: readonly Html[]): Html {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return <>{inner}</>;
  return (
    <a href={href} rel="noopener noreferrer nofollow" target="_blank">
      {inner}
    </a>
  );
}
