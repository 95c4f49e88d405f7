import type { Html } from "../frame/frame.tsx";

/** Text to copy. The script shows the button; without it, one click selects the text. */
export const renderCopyLine = (text: string, name = "Copy"): Html => (
  <div class="command">
    <code>{text}</code>
    <button type="button" hidden data-copy={text} aria-label={name === "Copy" ? undefined : name}>
      Copy
    </button>
  </div>
);

/** Announces a copy. Once on each page with something to copy. */
export const renderCopyStatus = (): Html => <p class="hidden" aria-live="polite" data-copied=""></p>;
