import type { FieldWindow } from "@pdpp/contract/wire";
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
  readonly isEarlier: boolean;
  readonly toolOutput: ToolOutput | undefined;
  readonly names: Names;
  readonly viewer: Viewer;
  readonly impersonatedGrant: ImpersonatedGrant | undefined;
}

export function renderTextPage(view: TextView): Html {
  const { id, title, window, isEarlier, names } = view;
  const { connection_id: source, stream, record_version: version, field } = window;
  const { text, start_chars: start, end_chars: end, total_chars: total } = window.window;
  const place = { id, field: field.path, version };
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
        {renderVerbatim(text)}
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
