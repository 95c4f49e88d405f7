import type { ImportPlan } from "@pdpp/contract/import-service";
import type { OwnerSession } from "@pdpp/contract/sign-in";
import { html } from "hono/html";
import type { Html } from "../frame/frame.ts";
import { grouped, said } from "../frame/value-view.ts";

/** Files of an export that nobody understood, and that stay out. */

export type NotUnderstood = Pick<ImportPlan, "notUnderstood" | "notUnderstoodCount">;

const longestText = 200;
export const cut = (text: string): string =>
  text.length > longestText ? `${text.slice(0, longestText).toWellFormed()}…` : text;

export function fileList({ notUnderstood, notUnderstoodCount }: NotUnderstood): Html {
  const more = notUnderstoodCount - notUnderstood.length;
  return html`<ul class="left">${notUnderstood.map(({ path, reason }) => html`<li>${said(cut(path))} <span class="soft">${said(cut(reason))}</span></li>`)}</ul>${more > 0 ? html`<p class="soft">and ${grouped(more)} more</p>` : ""}`;
}

const mostRemembered = 100;

/**
 * What plans left out, for the reports of their imports. In memory: a vault has what came, and not what did not. Where it is not known
 * any more, a report must not say that there was nothing.
 */
export class LeftOut {
  readonly #plans = new Map<string, NotUnderstood>();

  note(session: OwnerSession, importId: string, { notUnderstood, notUnderstoodCount }: NotUnderstood): void {
    this.#plans.set(keyOf(session, importId), { notUnderstood, notUnderstoodCount });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > mostRemembered && oldest !== undefined) this.#plans.delete(oldest);
  }

  of(session: OwnerSession, importId: string): NotUnderstood | undefined {
    return this.#plans.get(keyOf(session, importId));
  }
}

const keyOf = ({ ownerNo }: OwnerSession, importId: string): string => `${ownerNo} ${importId}`;
