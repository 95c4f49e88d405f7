import type { Html } from "../../frame/frame.tsx";
import type { RenderWords } from "../../frame/render/marked-text.tsx";
import { formatCount, renderText } from "../../frame/render/values.tsx";
import { type MailBlock, splitQuotes } from "./quotes.ts";

/** The plain text of a mail, with what was quoted folded. A quote with a matched word is open. */
export const renderMailText = (text: string, renderWords: RenderWords, words: readonly string[]): Html => (
  <div class="mail-text">{renderBlocks(splitQuotes(text), renderWords, words)}</div>
);

const renderBlocks = (blocks: readonly MailBlock[], renderWords: RenderWords, words: readonly string[]): Html[] =>
  blocks.map((block) => {
    if (block.kind === "quote") return renderQuote(block, renderWords, words);
    const text = block.lines.join("\n").replace(/^\n+|\s+$/g, "");
    if (text === "") return <></>;
    return (
      <div class={block.kind === "signature" ? "said soft" : "said"} dir="auto">
        {renderWords(text)}
      </div>
    );
  });

const maxIntroChars = 100;

function renderQuote(
  block: Extract<MailBlock, { readonly kind: "quote" }>,
  renderWords: RenderWords,
  words: readonly string[],
): Html {
  const intro = block.intro.join(" ").trim().replace(/:$/, "");
  const shown = intro.length > maxIntroChars ? `${intro.slice(0, maxIntroChars).toWellFormed()}…` : intro;
  const isMatch = words.length > 0 && hasWord(block, words);
  return (
    <details class="quoted" open={isMatch}>
      <summary>
        Quoted text
        <span class="soft">
          {shown !== "" && <> · {renderText(shown)}</>} · {formatCount(block.lineCount, "line")}
        </span>
      </summary>
      <div class="quoted-text">{renderBlocks(block.blocks, renderWords, words)}</div>
    </details>
  );
}

const hasWord = (block: MailBlock, words: readonly string[]): boolean =>
  block.kind === "quote"
    ? block.blocks.some((inner) => hasWord(inner, words))
    : block.lines.some((line) => words.some((word) => line.toLowerCase().includes(word)));
