import { Parser } from "htmlparser2";

/** A person with a browser: cookies, redirects and forms, but no scripts, so every page must work without them. */

export interface VisitedPage {
  readonly url: string;
  readonly status: number;
  readonly html: string;
  readonly headers: Headers;
}

interface Field {
  readonly name: string;
  readonly value: string;
  readonly kind: "ticked" | "unticked" | "value";
}

export interface Form {
  readonly action: string;
  readonly fields: readonly Field[];
}

type Fetch = (request: Request) => Promise<Response>;

export interface Person {
  open(url: string): Promise<VisitedPage>;
  /**
   * Submits a form of the page with the given fields and one of its buttons. The form is the one with `action`, otherwise the last one
   * that has the given fields, otherwise the last one.
   */
  send(
    page: VisitedPage,
    given: Readonly<Record<string, string | readonly string[]>>,
    action?: string,
  ): Promise<VisitedPage>;
  readonly cookies: ReadonlyMap<string, string>;
  /** Continues with another browser's cookies. */
  take(cookies: ReadonlyMap<string, string>): void;
}

/** Does not fetch addresses for which `isElsewhere` is true: those are where a client awaits its callback. */
export function createPerson(fetch: Fetch, isElsewhere: (url: string) => boolean): Person {
  const cookies = new Map<string, string>();
  const visit = async (request: Request): Promise<VisitedPage> => {
    const jar = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (jar !== "") request.headers.set("cookie", jar);
    request.headers.set("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8");
    const response = await fetch(request);
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (value === "" || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location !== null && response.status >= 300 && response.status < 400) {
      const next = new URL(location, request.url).href;
      if (isElsewhere(next)) return { url: next, status: response.status, html: "", headers: response.headers };
      return visit(new Request(next));
    }
    return { url: request.url, status: response.status, html: await response.text(), headers: response.headers };
  };
  return {
    cookies,
    take(others) {
      for (const [name, value] of others) cookies.set(name, value);
    },
    open: (url) => visit(new Request(url)),
    send(page, given, action) {
      const form = findForm(page, action, Object.keys(given));
      const body = new URLSearchParams();
      for (const { name, value, kind } of form.fields)
        if (kind !== "unticked" && given[name] === undefined) body.append(name, value);
      for (const [name, value] of Object.entries(given)) for (const one of [value].flat()) body.append(name, one);
      const headers = { "content-type": "application/x-www-form-urlencoded", origin: new URL(page.url).origin };
      return visit(new Request(new URL(form.action, page.url), { method: "POST", headers, body }));
    },
  };
}

/** Not the buttons that close a dialog, nor the box that goes to another page. */
const isSubmitted = ({ method, action }: { method?: string; action?: string }): boolean =>
  method !== "dialog" && action !== "/go";

export function findForm(page: VisitedPage, action?: string, given: readonly string[] = []): Form {
  const forms: { action: string; fields: Field[] }[] = [];
  let select = "";
  const parser = new Parser({
    onopentag(tag, { name = "", value = "", type = "", checked, selected, ...rest }) {
      if (tag === "form") forms.push({ action: isSubmitted(rest) ? (rest.action ?? page.url) : "", fields: [] });
      const fields = forms.at(-1)?.fields;
      if (tag === "select") select = name;
      if (tag === "option" && selected !== undefined) fields?.push({ name: select, value, kind: "value" });
      if (tag === "button" && name !== "") fields?.push({ name, value, kind: "unticked" });
      if (tag !== "input") return;
      const isTicked = checked !== undefined;
      if (type === "radio") fields?.push({ name, value, kind: isTicked ? "value" : "unticked" });
      if (type === "radio") return;
      const kind = type !== "checkbox" ? "value" : isTicked ? "ticked" : "unticked";
      fields?.push({ name, value, kind });
    },
  });
  parser.end(page.html);
  const hasFields = ({ fields }: Form) => given.every((name) => fields.some((field) => field.name === name));
  const sent = forms.filter((each) => each.action !== "");
  const form =
    action === undefined ? (sent.findLast(hasFields) ?? sent.at(-1)) : sent.find((each) => each.action === action);
  if (form === undefined) throw new Error(`no form ${action ?? ""} on ${page.url}`);
  return form;
}
