import { davRequest } from "tsdav";
import { z } from "zod";
import { AnswerTooLarge, fetchLimited, type HttpAnswer, isRedirect } from "../http/fetch-limited.ts";
import { isSameSite } from "../http/site.ts";
import { ConnectorFailure } from "../kit/protocol.ts";

/** One `response` of a multistatus answer. */
export interface DavRow {
  /** As the server wrote it; it is sent back like that. */
  readonly href: string;
  readonly status: number;
  /** Properties by their name in camel case. */
  readonly props: Readonly<Record<string, unknown>>;
}

export interface DavAnswer {
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  /** Undefined if the response is not a multistatus, even with a successful status. */
  readonly rows: readonly DavRow[] | undefined;
  readonly token: string | undefined;
}

type XmlElement = Readonly<Record<string, unknown>>;

const namespaces = {
  "xmlns:d": "DAV:",
  "xmlns:c": "urn:ietf:params:xml:ns:caldav",
  "xmlns:card": "urn:ietf:params:xml:ns:carddav",
  "xmlns:cs": "http://calendarserver.org/ns/",
};

const maxAnswerBytes = 64 * 1024 * 1024;
const attempts = 6;
const maxRedirects = 5;

const rowShape = z.object({
  href: z.unknown().optional(),
  status: z.number(),
  props: z.record(z.string(), z.unknown()).optional(),
});
const multistatus = z.object({ multistatus: z.record(z.string(), z.unknown()) });

/** Sends WebDAV requests, with credentials, to one site only. */
export class DavClient {
  readonly #home: URL;
  readonly #authorization: string | undefined;

  /** `home` is the address that the owner named. */
  constructor(home: URL, authorization: string | undefined) {
    if (!isSameSite(home, home))
      throw new ConnectorFailure(
        "insecure_address",
        `${home.origin} is not encrypted; use an https address`,
        "manual_action_required",
      );
    this.#home = home;
    this.#authorization = authorization;
  }

  isAllowed(url: string): boolean {
    return isSameSite(this.#home, new URL(url));
  }

  propfind(url: string, depth: "0" | "1", props: readonly string[]): Promise<DavAnswer> {
    return this.#ask("PROPFIND", url, depth, { "d:propfind": { "d:prop": listElements(props) } });
  }

  report(url: string, depth: "0" | "1", name: string, content: XmlElement): Promise<DavAnswer> {
    return this.#ask("REPORT", url, depth, { [name]: content });
  }

  /** Downloads one object. */
  get(url: string): Promise<HttpAnswer> {
    return this.#fetch(url, { method: "GET" }).then(({ answer }) => answer);
  }

  async #ask(method: "PROPFIND" | "REPORT", url: string, depth: "0" | "1", body: XmlElement): Promise<DavAnswer> {
    let finalUrl = url;
    const rows = await davRequest({
      url,
      init: { method, headers: { depth }, body, attributes: namespaces },
      fetch: async (input, init) => {
        const text = typeof init?.body === "string" ? init.body : undefined;
        const { answer, url: at } = await this.#fetch(String(input), { method, depth, body: text });
        finalUrl = at;
        const { status, statusText, headers } = answer;
        const type = headers.get("content-type") ?? "";
        const isEmpty = [101, 204, 205, 304].includes(status);
        return new Response(isEmpty ? null : answer.bytes, { status, statusText, headers: { "content-type": type } });
      },
    });
    const [first] = rows;
    const whole = multistatus.safeParse(first?.raw);
    if (!whole.success) return { status: first?.status ?? 0, url: finalUrl, rows: undefined, token: undefined };
    return {
      status: 207,
      url: finalUrl,
      rows: rows.flatMap((row) => {
        const { href, status, props = {} } = rowShape.parse(row);
        const text = readText(href);
        return text === undefined ? [] : [{ href: text, status, props }];
      }),
      token: readText(whole.data.multistatus.syncToken),
    };
  }

  async #fetch(
    input: string,
    { method, depth, body }: { readonly method: string; readonly depth?: string; readonly body?: string | undefined },
  ): Promise<{ answer: HttpAnswer; url: string }> {
    let url = new URL(input);
    for (let hop = 0; ; hop += 1) {
      if (!isSameSite(this.#home, url)) throw createSiteError(this.#home, url);
      const headers = {
        ...(this.#authorization !== undefined && { authorization: this.#authorization }),
        ...(depth !== undefined && { depth }),
        ...(body !== undefined && { "content-type": "application/xml; charset=utf-8" }),
      };
      const answer = await fetchLimited(url, { method, headers, body }, { maxBytes: maxAnswerBytes, attempts });
      if (answer.status === 401) throw createCredentialsError(url, answer, this.#authorization !== undefined);
      const location = answer.headers.get("location");
      if (!isRedirect(answer.status) || location === null || hop >= maxRedirects) return { answer, url: url.href };
      url = new URL(location, url);
    }
  }
}

const listElements = (names: readonly string[]): XmlElement => Object.fromEntries(names.map((name) => [name, {}]));

/** The text of an element, which the parser may have turned into a number, a list or CDATA. */
export function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) {
    const parts = value.map(readText).filter((part) => part !== undefined);
    return parts.length === 0 ? undefined : parts.join("");
  }
  const wrapped = z.object({ _text: z.unknown().optional(), _cdata: z.unknown().optional() }).safeParse(value);
  if (!wrapped.success) return undefined;
  return readText(wrapped.data._cdata) ?? readText(wrapped.data._text);
}

export const createSiteError = (home: URL, target: URL): ConnectorFailure =>
  new ConnectorFailure(
    "other_site",
    `${home.host} refers to ${target.origin}, which is not encrypted or belongs to another site. If it is yours, use its address for the source instead.`,
    "manual_action_required",
  );

function createCredentialsError(url: URL, { headers }: HttpAnswer, wereGiven: boolean): ConnectorFailure {
  const schemes = headers.get("www-authenticate") ?? "";
  if (schemes !== "" && !/\b(basic|bearer)\b/i.test(schemes))
    return new ConnectorFailure(
      "unsupported_sign_in",
      `${url.host} asks for a kind of sign-in that is not supported (${schemes.split(" ")[0]}); allow Basic on the server`,
      "manual_action_required",
    );
  return wereGiven
    ? new ConnectorFailure("wrong_credentials", `${url.host} rejected the user or password`, "refresh_credentials")
    : new ConnectorFailure("credentials_missing", `${url.host} asks for a user and password`, "refresh_credentials");
}

export { AnswerTooLarge };
