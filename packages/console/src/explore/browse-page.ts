import { html } from "hono/html";
import { streamAddress } from "../frame/addresses.ts";
import { type Html, letterMark, page } from "../frame/frame.ts";
import { grouped, said } from "../frame/value-view.ts";
import { type Shown, searchFrame } from "./found-page.ts";

export interface BrowseView extends Shown {
  readonly counts: ReadonlyMap<string, number>;
}

/** Nothing asked yet: all that is there, by source. */
export function browsePage(view: BrowseView): Html {
  const { names, counts } = view;
  return page(
    "Explore",
    html`<h1>${view.worn === undefined ? "Explore" : "What it can read"}</h1>
<p class="soft">Search words or ask a question. Use <code>"exact phrase"</code>, <code>boil*</code> or <code>-exclude</code>. Or browse a source.</p>
${
  names.sources.length === 0
    ? html`<p>No data yet. <a href="/import">Import data</a></p>`
    : html`<ul class="rows">${names.sources.map(
        ({ id, label, streams }) => html`<li>${letterMark(label)}<div class="about"><h2>${said(label)}</h2>
<p>${streams.flatMap(({ name, label: kind }, i) => {
          const count = counts.get(`${id}/${name}`);
          return count === undefined
            ? []
            : html`${i === 0 ? "" : " · "}<a href="${streamAddress(id, name)}">${said(kind)}</a> <span class="soft">${grouped(count)}</span>`;
        })}</p></div></li>`,
      )}</ul>`
}`,
    searchFrame(view),
  );
}
