import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** The parts of IMAP that the connector uses, on a server that keeps labels with its mails, as Gmail's documentation describes it. */

export interface LabelledMail {
  readonly uid: number;
  readonly thread: string;
  readonly source: string;
  labels: string;
  flags: string;
  modseq: number;
}

const capabilities = "IMAP4rev1 ID ENABLE X-GM-EXT-1 CONDSTORE SPECIAL-USE LIST-STATUS LIST-EXTENDED";

export class ScriptedServer {
  readonly mails: LabelledMail[] = [];
  readonly opened: string[] = [];
  /** This many responses to a search of all mails omit the last one. */
  shortSearches = 0;
  /** How signing in fails. */
  refusal: string | undefined;
  port = 0;
  #modseq = 100;
  #nextUid = 1;
  readonly #server = createServer((socket) => this.#serve(socket));

  async start(): Promise<void> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    const address = this.#server.address();
    this.port = typeof address === "object" ? (address?.port ?? 0) : 0;
  }

  stop(): Promise<unknown> {
    this.#server.close();
    return once(this.#server, "close");
  }

  deliver(source: string, labels: string, thread: string): void {
    this.#modseq += 1;
    this.mails.push({ uid: this.#nextUid, thread, source, labels, flags: "", modseq: this.#modseq });
    this.#nextUid += 1;
  }

  relabel(uid: number, labels: string): void {
    this.#change(uid, { labels });
  }

  flag(uid: number, flags: string): void {
    this.#change(uid, { flags });
  }

  #change(uid: number, values: Partial<LabelledMail>): void {
    const mail = this.mails.find((each) => each.uid === uid);
    this.#modseq += 1;
    if (mail !== undefined) Object.assign(mail, values, { modseq: this.#modseq });
  }

  remove(uid: number): void {
    this.#modseq += 1;
    this.mails.splice(
      this.mails.findIndex((each) => each.uid === uid),
      1,
    );
  }

  #serve(socket: Socket): void {
    socket.on("error", () => undefined);
    socket.write(`* OK [CAPABILITY ${capabilities}] ready\r\n`);
    createInterface({ input: socket }).on("line", (line) => {
      const [, tag = "*", command = ""] = /^(\S+) (.*)$/.exec(line) ?? [];
      for (const answer of this.#answer(command)) socket.write(`* ${answer}\r\n`);
      const isRefused = this.refusal !== undefined && command.startsWith("LOGIN");
      socket.write(isRefused ? `${tag} NO ${this.refusal}\r\n` : `${tag} OK done\r\n`);
      if (command === "LOGOUT") socket.end();
    });
  }

  #answer(command: string): string[] {
    const name = /^(UID )?\w+/.exec(command)?.[0] ?? "";
    if (name === "CAPABILITY") return [`CAPABILITY ${capabilities}`];
    if (name === "ENABLE") return ["ENABLED CONDSTORE"];
    if (name === "LIST") return this.#list(command);
    if (name === "EXAMINE") return this.#open(command);
    if (name === "UID SEARCH") return [`SEARCH ${this.#search(/(?:UID )?(\S+)$/.exec(command)?.[1] ?? "").join(" ")}`];
    if (name === "UID FETCH") return this.#fetch(command);
    return [];
  }

  #list(command: string): string[] {
    if (!command.includes('"*"')) return ['LIST (\\Noselect) "/" ""'];
    const status = `(MESSAGES ${this.mails.length} UIDNEXT ${this.#nextUid} UIDVALIDITY 7 HIGHESTMODSEQ ${this.#modseq})`;
    return [
      ["\\HasNoChildren", "INBOX"],
      ["\\All", "[Gmail]/All Mail"],
      ["\\Trash", "[Gmail]/Trash"],
    ].flatMap(([flags, path]) => [`LIST (${flags}) "/" "${path}"`, `STATUS "${path}" ${status}`]);
  }

  #open(command: string): string[] {
    this.opened.push(/"([^"]+)"/.exec(command)?.[1] ?? command);
    return [
      "FLAGS (\\Seen)",
      `${this.mails.length} EXISTS`,
      "OK [UIDVALIDITY 7] valid",
      `OK [UIDNEXT ${this.#nextUid}] next`,
      `OK [HIGHESTMODSEQ ${this.#modseq}] modseq`,
    ];
  }

  #search(range: string): number[] {
    const found = this.#select(range);
    if (range !== "ALL" || this.shortSearches === 0) return found;
    this.shortSearches -= 1;
    return found.slice(0, -1);
  }

  #select(range: string): number[] {
    const parts = range.split(",").map((part) => part.split(":"));
    const isIn = (uid: number): boolean =>
      range === "ALL" || parts.some(([low, high = low]) => uid >= Number(low) && (high === "*" || uid <= Number(high)));
    return this.mails.map(({ uid }) => uid).filter(isIn);
  }

  #fetch(command: string): string[] {
    const [, range = "", items = ""] = /^UID FETCH (\S+) \((.*)\)/.exec(command) ?? [];
    const since = Number(/CHANGEDSINCE (\d+)/.exec(command)?.[1] ?? 0);
    const selected = this.#select(range);
    return this.mails.flatMap((mail, n) => {
      if (!selected.includes(mail.uid) || mail.modseq <= since) return [];
      const bytes = mail.source.replaceAll("\n", "\r\n");
      const values = [
        `FLAGS (${mail.flags}) UID ${mail.uid} MODSEQ (${mail.modseq}) RFC822.SIZE ${Buffer.byteLength(bytes)}`,
        `X-GM-THRID ${mail.thread} X-GM-MSGID 1${mail.uid} X-GM-LABELS (${mail.labels})`,
        ...(items.includes("BODY.PEEK[]") ? [`BODY[] {${Buffer.byteLength(bytes)}}\r\n${bytes}`] : []),
      ];
      return [`${n + 1} FETCH (${values.join(" ")})`];
    });
  }
}
