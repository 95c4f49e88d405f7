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
    html`<h1>${view.worn === undefined ? "Everything in your vault" : "What it can read"}</h1>
<p class="soft">Search with words or a question; <code>"a phrase"</code>, <code>boil*</code> for beginnings, <code>-without</code>. Or look through a source.</p>
${
  names.sources.length === 0
    ? html`<p>There is nothing here yet. <a href="/">Begin on the first page</a>.</p>`
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
