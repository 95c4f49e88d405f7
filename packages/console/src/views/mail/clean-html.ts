import { Parser } from "htmlparser2";

/**
 * The HTML of a mail, reduced to what shows text, tables and embedded pictures. It is served with a policy that loads and runs nothing, in a frame
 * without any permission; this is the first of three layers, and it counts what the others would block.
 */

export interface CleanHtml {
  readonly html: string;
  /** Visible characters, and pictures that the mail itself has. */
  readonly textChars: number;
  readonly pictureCount: number;
  readonly remoteImages: number;
  /** The content ids of attached pictures, once for each place in the text. */
  readonly attachedImages: readonly string[];
  /** Whether scripts, forms or embedded pages were removed. */
  readonly hasActiveParts: boolean;
  readonly links: readonly MailLink[];
}

interface MailLink {
  readonly href: string;
  readonly text: string;
}

const split = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const kept = split(
  "a abbr address article aside b big blockquote br caption center cite code col colgroup dd del div dl dt em figcaption figure font footer h1 h2 h3 h4 " +
    "h5 h6 header hr i img ins kbd li main nav ol p pre q s samp section small span strike strong style sub sup table tbody td tfoot th thead tr tt u ul var wbr",
);
/** Removed with what they hold. Other unknown elements leave their text. */
const removed = split(
  "applet audio base basefont button canvas embed frame frameset head iframe input link math meta noembed noframes noscript object param picture " +
    "plaintext portal script select source svg template textarea title track video xmp",
);
const active = split("applet base button embed frame iframe input link meta object portal script select textarea");
const empty = split("br col hr img wbr");
const keptAttributes = split(
  "align alt bgcolor border cellpadding cellspacing class color colspan dir face height lang nowrap rowspan size span start style title type valign width",
);
/** These may stand in the head of a page, which is otherwise removed. */
const headStyles = "style";

const maxLinks = 50;
const maxDepth = 200;

const noPictures: ReadonlyMap<string, string> = new Map();

/** `pictures`: attached pictures as `data:` addresses, by content id. */
export function cleanHtml(source: string, pictures = noPictures): CleanHtml {
  const out: string[] = [];
  const links: { href: string; text: string }[] = [];
  let remoteImages = 0;
  const attachedImages: string[] = [];
  let [textChars, pictureCount] = [0, 0];
  let hasActiveParts = false;
  const removing: string[] = [];
  const open: string[] = [];
  let link: { href: string; text: string } | undefined;
  let isStyle = false;

  const cleanStyle = (css: string): string =>
    css
      // An escape could hide an address.
      .replaceAll("\\", "")
      .replace(/@import[^;]*;?/gi, "")
      .replace(/url\(([^)]*)\)/gi, (_, address: string) => {
        if (/^\s*['"]?\s*(?:https?:)?\/\//i.test(address)) remoteImages += 1;
        return "none";
      })
      .replace(/(?:https?|ftp|wss?):|\/\//gi, "")
      .replaceAll("<", "");

  const openTag = (name: string, attributes: Readonly<Record<string, string>>): void => {
    const shown: string[] = [];
    for (const [key, value] of Object.entries(attributes))
      if (keptAttributes.has(key)) shown.push(`${key}="${escapeHtml(key === "style" ? cleanStyle(value) : value)}"`);
    if (name === "img") {
      const { src = "" } = attributes;
      const id = parseContentId(src);
      const address = id === undefined ? src : (pictures.get(id) ?? "");
      if (isEmbedded(address)) shown.push(`src="${escapeHtml(address)}"`);
      if (id !== undefined || isEmbedded(src)) pictureCount += 1;
      if (id !== undefined) attachedImages.push(id);
      else if (!isEmbedded(src)) remoteImages += 1;
    }
    if (attributes.background !== undefined) remoteImages += 1;
    out.push(`<${[name, ...shown].join(" ")}>`);
  };

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (active.has(name) || Object.keys(attributes).some((key) => key.startsWith("on"))) hasActiveParts = true;
        if (removing.length > 0) {
          removing.push(name);
          if (name === headStyles && removing.every((each) => each === "head" || each === headStyles)) isStyle = true;
          return;
        }
        if (removed.has(name)) {
          removing.push(name);
          return;
        }
        if (!kept.has(name) || open.length >= maxDepth) return;
        if (name === "style") isStyle = true;
        else openTag(name, attributes);
        if (!empty.has(name)) open.push(name);
        const { href = "" } = attributes;
        if (name === "a" && /^(?:https?:\/\/|mailto:)/i.test(href) && links.length < maxLinks) {
          link = { href, text: "" };
          links.push(link);
        }
      },
      ontext(text) {
        if (isStyle) out.push(`<style>${cleanStyle(text)}</style>`);
        else if (removing.length === 0) {
          out.push(escapeHtml(text));
          textChars += text.replace(/\s+/g, "").length;
          if (link !== undefined && link.text.length < 200) link.text += text;
        }
      },
      onclosetag(name) {
        if (name === "style") isStyle = false;
        if (removing.length > 0) {
          const at = removing.lastIndexOf(name);
          if (at >= 0) removing.length = at;
          return;
        }
        if (name === "a") link = undefined;
        if (open.at(-1) !== name) return;
        open.pop();
        if (name !== "style") out.push(`</${name}>`);
      },
    },
    { decodeEntities: true },
  );
  parser.write(source);
  parser.end();
  return { html: out.join(""), textChars, pictureCount, remoteImages, attachedImages, hasActiveParts, links };
}

const isEmbedded = (address: string): boolean => /^data:image\/(?:png|jpeg|gif|webp)[;,]/i.test(address);

/** The content id of a `cid:` address, which may be percent-encoded. */
function parseContentId(address: string): string | undefined {
  const [, id] = /^\s*cid:(.+)$/is.exec(address) ?? [];
  if (id === undefined) return undefined;
  try {
    return decodeURIComponent(id.trim());
  } catch {
    return id.trim();
  }
}

const entities: Readonly<Record<string, string>> = { "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" };
const escapeHtml = (text: string): string => text.replace(/[<>&"]/g, (char) => entities[char] ?? char);
