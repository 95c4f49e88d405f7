import type { FieldWindow } from "@pdpp/contract/wire";
import { html } from "hono/html";
import { recordAddress, textAddress } from "../frame/addresses.ts";
import { type Html, page, readOnScriptPath, type Worn } from "../frame/frame.ts";
import type { Names } from "../frame/names.ts";
import type { Proof } from "../frame/proof.ts";
import { grouped, said, verbatim } from "../frame/value-view.ts";
import { recordFrame } from "./record-page.ts";
import { besideTold, type Told } from "./told.ts";

export interface TextView {
  readonly id: string;
  readonly title: string;
  readonly window: FieldWindow;
  readonly isEarlier: boolean;
  readonly told: Told | undefined;
  readonly names: Names;
  readonly proof: Proof;
  readonly worn: Worn | undefined;
}

/** A long text, a window at a time. */
export function textPage(view: TextView): Html {
  const { id, title, window, isEarlier, names } = view;
  const { connection_id: source, stream, record_version: version, field } = window;
  const { text, start_chars: start, end_chars: end, total_chars: total } = window.window;
  const place = { id, field: field.path, version };
  const back = start === 0 ? "" : html`<a rel="prev" href="${textAddress({ ...place, end: start })}">Previous part</a>`;
  const on =
    end >= total ? "" : html`<a rel="next" href="${textAddress({ ...place, offset: end })}">Continue reading</a>`;
  const name = names.field(source, stream, field.path.replace(/\{text\}$/, ""));
  const shown = html`<p class="back"><a href="${recordAddress(id, isEarlier ? version : undefined)}">${said(title)}</a></p>
<h1>${said(name)}</h1>
<p class="soft">${isEarlier ? `Version ${version}. ` : ""}Characters ${grouped(start)} to ${grouped(end)} of ${grouped(total)}${field.reduced ? ", converted from HTML" : ""}</p>
${back === "" ? "" : html`<p class="pages">${back}</p>`}
<div class="prose" dir="auto" data-window>${verbatim(text)}</div>
<p class="pages" data-rest>${on === "" ? html`<span class="soft">End of text.</span>` : on}</p>`;
  return page(`${name}: ${title}`, besideTold(shown, view.told), {
    ...recordFrame(view),
    scripts: on === "" ? [] : [readOnScriptPath],
  });
}
