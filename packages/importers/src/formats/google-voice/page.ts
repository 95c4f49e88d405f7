import { hasClass, parseHtml } from "../../core/parsing/html-steps.ts";
import { cleanText } from "../../core/text/clean.ts";

/** A page of Google Voice: part of a chat, or a call. */
export interface VoicePage {
  /** Participants other than the owner, if listed. */
  readonly participants: readonly VoicePerson[];
  readonly messages: readonly VoiceMessage[];
  /** Such as "Me to Ada". */
  readonly title: string;
  readonly labels: readonly string[];
  readonly isDeleted: boolean;
}

export interface VoicePerson {
  readonly tel: string;
  readonly name: string;
  readonly isMe: boolean;
}

export interface VoiceMessage {
  /** As on the page, with an offset. */
  readonly at: string;
  readonly sender: VoicePerson | null;
  readonly text: string;
  readonly files: readonly string[];
  readonly call: { readonly title: string; readonly duration: string | null } | null;
  readonly offset: number;
}

/** Longer than any real page. */
const maxMessages = 100_000;

/** The meaning of the following text. */
type Place = "title" | "name" | "text" | "participant" | "call" | "label" | "deleted" | "elsewhere";

class Draft {
  readonly isCall: boolean;
  readonly offset: number;
  readonly files: string[] = [];
  at = "";
  tel = "";
  name = "";
  isMe = false;
  text = "";
  call = "";
  duration: string | null = null;

  constructor(isCall: boolean, offset: number) {
    this.isCall = isCall;
    this.offset = offset;
  }

  finish(): VoiceMessage {
    const [tel, name] = [normalizeSpace(this.tel), normalizeSpace(this.name)];
    return {
      at: this.at,
      sender: tel === "" && name === "" ? null : { tel, name, isMe: this.isMe },
      text: cleanText(this.text.trim()),
      files: this.files.map(cleanText),
      call: this.isCall ? { title: normalizeSpace(this.call), duration: this.duration } : null,
      offset: this.offset,
    };
  }
}

const normalizeSpace = (text: string): string => cleanText(text.replace(/\s+/g, " ").trim());

class PageReader {
  readonly #messages: VoiceMessage[] = [];
  readonly #participants: VoicePerson[] = [];
  readonly #labels: string[] = [];
  #title = "";
  #deleted = "";
  #draft: Draft | undefined;
  #person: VoicePerson = { tel: "", name: "", isMe: false };
  #isGroupLine = false;
  #place: Place = "elsewhere";
  /** The element whose end resets the place. */
  #until = "";

  finish(): VoicePage {
    this.#finishDraft();
    return {
      participants: this.#participants,
      messages: this.#messages,
      title: normalizeSpace(this.#title),
      labels: this.#labels.map(normalizeSpace).filter((label) => label !== ""),
      isDeleted: /\bTrue\b/.test(this.#deleted),
    };
  }

  addText(text: string): void {
    const draft = this.#draft;
    if (this.#place === "title") this.#title += text;
    else if (this.#place === "label") this.#labels.push(text);
    else if (this.#place === "deleted") this.#deleted += text;
    else if (this.#place === "participant") this.#person = { ...this.#person, name: this.#person.name + text };
    else if (draft === undefined) return;
    else if (this.#place === "text") draft.text += text.replace(/\s+/g, " ");
    else if (this.#place === "call") draft.call += text;
    else if (this.#place === "name") draft.name += text;
  }

  close(name: string): void {
    if (name === "div") this.#isGroupLine = false;
    if (name !== this.#until) return;
    if (this.#place === "participant")
      this.#participants.push({ ...this.#person, name: normalizeSpace(this.#person.name) });
    this.#enter("elsewhere", "");
  }

  open(name: string, attributes: Readonly<Record<string, string>>, offset: number): void {
    const is = (className: string): boolean => hasClass(attributes, className);
    if (name === "title") this.#enter("title", name);
    else if (is("message") || is("haudio")) {
      this.#finishDraft();
      this.#draft = new Draft(is("haudio"), offset);
    } else if (is("participants")) this.#isGroupLine = true;
    else if (attributes.rel === "tag") this.#enter("label", name);
    else if (is("deletedStatusContainer")) this.#enter("deleted", name);
    else if (this.#isGroupLine) {
      if (is("tel")) this.#person = { tel: parseTel(attributes), name: "", isMe: false };
      else if (is("fn")) this.#enter("participant", name);
    } else if (this.#draft !== undefined) this.#openInMessage(this.#draft, name, attributes);
  }

  #openInMessage(draft: Draft, name: string, attributes: Readonly<Record<string, string>>): void {
    const is = (className: string): boolean => hasClass(attributes, className);
    if (is("dt") || is("published")) draft.at = attributes.title ?? "";
    else if (is("duration")) draft.duration = attributes.title ?? null;
    else if (is("tel")) draft.tel = parseTel(attributes);
    else if (is("fn")) {
      // For a call, the first name is the kind of call. The owner's name is in an `abbr`, whatever the language.
      const isKind = draft.isCall && draft.tel === "";
      if (!isKind) draft.isMe = name === "abbr";
      this.#enter(isKind ? "call" : "name", name);
    } else if (name === "q" || is("full-text")) this.#enter("text", name);
    else if (name === "br" && this.#place === "text") draft.text += "\n";
    else {
      const isCard = name === "a" && is("vcard");
      const file = isCard ? attributes.href : /^(img|audio|video)$/.test(name) ? attributes.src : undefined;
      if (file !== undefined && file !== "" && !/^https?:/i.test(file)) draft.files.push(file);
    }
  }

  #enter(place: Place, until: string): void {
    [this.#place, this.#until] = [place, until];
  }

  #finishDraft(): void {
    const draft = this.#draft;
    if (draft !== undefined && draft.at !== "" && this.#messages.length < maxMessages)
      this.#messages.push(draft.finish());
    this.#draft = undefined;
  }
}

const parseTel = ({ href = "" }: Readonly<Record<string, string>>): string => href.replace(/^tel:/, "");

export async function parseVoicePage(bytes: AsyncIterable<Uint8Array>): Promise<VoicePage> {
  const reader = new PageReader();
  for await (const step of parseHtml(bytes)) {
    if (step.kind === "text") reader.addText(step.text);
    else if (step.kind === "close") reader.close(step.name);
    else reader.open(step.name, step.attributes, step.at);
  }
  return reader.finish();
}
