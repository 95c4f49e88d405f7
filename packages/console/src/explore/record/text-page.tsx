import type { FieldWindow } from "@pdpp/contract/wire";
import { countChars, sliceChars } from "@pdpp/evidence/text/text";
import { getRecordUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, type ImpersonatedGrant, renderPage } from "../../frame/frame.tsx";
import type { Names } from "../../frame/names.ts";
import { renderBackLink } from "../../frame/render/parts.tsx";
import { formatNumber, renderText, renderVerbatim } from "../../frame/render/values.tsx";
import type { Viewer } from "../../frame/viewer.ts";
import { renderBesideToolOutput, type ToolOutput } from "../tool-output.tsx";
import { buildRecordPageOptions } from "./record-page.tsx";

export interface TextView {
  readonly id: string;
  readonly title: string;
  readonly window: FieldWindow;
  /** Ranges of characters to highlight, as in the URL. */
  readonly marks: readonly string[];
  readonly isEarlier: boolean;
  readonly toolOutput: ToolOutput | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderTextPage(view: TextView): Html {
  const { id, title, window, marks, isEarlier, names } = view;
  const { connection_id: source, stream, record_version: version, field } = window;
  const { text, start_chars: start, end_chars: end, total_chars: total } = window.window;
  const place = { id, field: field.path, version, marks };
  const back =
    start === 0 ? (
      ""
    ) : (
      <a rel="prev" href={getTextUrl({ ...place, end: start })}>
        Previous part
      </a>
    );
  const on =
    end >= total ? (
      ""
    ) : (
      <a rel="next" href={getTextUrl({ ...place, offset: end })}>
        Continue reading
      </a>
    );
  const name = names.field(source, stream, field.path.replace(/\{text\}$/, ""));
  const shown = (
    <>
      {renderBackLink(getRecordUrl(id, isEarlier ? version : undefined), renderText(title))}
      <h1>{renderText(name)}</h1>
      <p class="soft">
        {isEarlier && `Version ${version}. `}Characters {formatNumber(start)} to {formatNumber(end)} of{" "}
        {formatNumber(total)}
        {field.reduced ? ", converted from HTML" : ""}
      </p>
      {back !== "" && <p class="pages">{back}</p>}
      <div class="prose" dir="auto" data-window="">
        {renderMarkedWindow(text, start, marks)}
      </div>
      <p class="pages" data-rest="">
        {on === "" ? <span class="soft">End of text.</span> : on}
      </p>
    </>
  );
  return renderPage(`${name}: ${title}`, renderBesideToolOutput(shown, view.toolOutput), {
    ...buildRecordPageOptions(view),
    scripts: on === "" ? [] : ["/assets/read-on.js"],
  });
}

/** The window's text with the ranges highlighted; whatever is not a range of it is ignored. */
function renderMarkedWindow(text: string, start: number, marks: readonly string[]): Html {
  const total = countChars(text);
  const ranges = marks
    .flatMap((mark) => {
      const [, from, to] = /^(\d{1,12})-(\d{1,12})$/.exec(mark) ?? [];
      const [first, last] = [Math.max(0, Number(from) - start), Math.min(total, Number(to) - start)];
      return first < last ? [[first, last] as const] : [];
    })
    .sort((a, b) => a[0] - b[0]);
  const parts: Html[] = [];
  let at = 0;
  for (const [first, last] of ranges) {
    if (first < at) continue;
    parts.push(
      <>
        {renderVerbatim(sliceChars(text, at, first))}
        <mark>{renderVerbatim(sliceChars(text, first, last))}</mark>
      </>,
    );
    at = last;
  }
  return (
    <>
      {parts}
      {renderVerbatim(sliceChars(text, at, total))}
    </>
  );
}
