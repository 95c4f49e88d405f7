import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "../../engine/is-running.ts";
import { parseStoredJson } from "../../engine/json.ts";
import type { JournalItem } from "./log-chain.ts";

/**
 * Holds log entries until they are in the vault: two preallocated files, so that a full disk does not matter. A line is written
 * before its response is sent, and survives a crash of the process. A file is reused once all its entries are in the vault. A zero
 * byte marks its end.
 */
export interface Journal {
  readonly id: string;
  append(item: JournalItem): boolean;
  /** Switches to the other file, if that is free. */
  rotate(): void;
  /** All entries up to this line are in the vault. */
  markWritten(lines: number): void;
  readonly lines: number;
  prepare(): void;
  remove(): void;
}

interface Slot {
  readonly file: string;
  readonly fd: number;
  offset: number;
  last: number;
}

const zero = "\u0000";
const retryMs = 1000;
const heartbeatMs = 60_000;
const ownJournals = new Set<string>();
const host = hostname()
  .replaceAll(/[^A-Za-z0-9-]/g, "-")
  .slice(0, 60);

export function openJournal(folder: string, slotBytes: number): Journal {
  const id = `${host}.${process.pid}.${randomBytes(9).toString("base64url")}`;
  let slots: Slot[] | undefined;
  let active = 0;
  let lines = 0;
  let failedAt: number | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const createSlots = (): Slot[] | undefined => {
    if (failedAt !== undefined && performance.now() - failedAt < retryMs) return undefined;
    let made: Slot[] = [];
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      made = ["0", "1"].map((n) => openSlot(join(folder, `${id}.${n}`), slotBytes));
      failedAt = undefined;
      ownJournals.add(id);
      slots = made;
      heartbeat ??= setInterval(touchSlots, heartbeatMs).unref();
      return made;
    } catch {
      failedAt = performance.now();
      return undefined;
    }
  };
  const releaseSlots = (): void => {
    ownJournals.delete(id);
    clearInterval(heartbeat);
    heartbeat = undefined;
    for (const { fd, file } of slots ?? []) {
      closeSync(fd);
      rmSync(file, { force: true });
    }
    slots = undefined;
  };
  /** Shows that the journal is in use. If a process on another machine has adopted it anyway, starts a new one. */
  const touchSlots = (): void => {
    try {
      for (const { file } of slots ?? []) utimesSync(file, new Date(), new Date());
    } catch {
      releaseSlots();
      createSlots();
    }
  };
  return {
    id,
    get lines() {
      return lines;
    },
    prepare: () => void createSlots(),
    append(item) {
      const slot = (slots ?? createSlots())?.[active];
      if (slot === undefined) return false;
      const line = Buffer.from(`${JSON.stringify(item)}\n${zero}`);
      if (slot.offset + line.length > slotBytes) return false;
      try {
        if (writeSync(slot.fd, line, 0, line.length, slot.offset) !== line.length) return false;
      } catch {
        return false;
      }
      slot.offset += line.length - 1;
      lines += 1;
      slot.last = lines;
      return true;
    },
    rotate() {
      const other = slots?.[1 - active];
      if (other !== undefined && other.offset === 0) active = 1 - active;
    },
    markWritten(upTo) {
      for (const slot of slots ?? []) {
        if (slot.offset === 0 || slot.last > upTo) continue;
        try {
          // The entries quote what was asked, so none of them stays in the file.
          writeSync(slot.fd, Buffer.alloc(slot.offset), 0, slot.offset, 0);
          slot.offset = 0;
        } catch {
          // The entries are read again later, and found in the vault.
        }
      }
    },
    remove: releaseSlots,
  };
}

function openSlot(file: string, bytes: number): Slot {
  const fd = openSync(file, "w", 0o600);
  try {
    // Writes the blocks instead of only setting the size, so that no later write can run out of space.
    const block = Buffer.alloc(64 * 1024);
    for (let at = 0; at < bytes; at += block.length) {
      const size = Math.min(block.length, bytes - at);
      if (writeSync(fd, block, 0, size, at) !== size) throw new Error("no disk space for the journal");
    }
    return { file, fd, offset: 0, last: 0 };
  } catch (error) {
    closeSync(fd);
    rmSync(file, { force: true });
    throw error;
  }
}

export interface OrphanedJournal {
  readonly id: string;
  readonly items: readonly JournalItem[];
  remove(): void;
}

/** Longer than the heartbeat of a living process. */
const deadAfterMs = 5 * 60_000;

export function findOrphanedJournals(folder: string, isDead: (id: string) => boolean = () => false): OrphanedJournal[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => /\.[01]$/.test(name));
  const ids = [...new Set(files.map((name) => name.slice(0, -2)))];
  return ids.flatMap((id) => {
    const own = files.filter((name) => name.slice(0, -2) === id).map((name) => join(folder, name));
    try {
      if (!isDead(id) && !isOrphaned(id, own)) return [];
      const items = own.flatMap((file) => parseItems(readFileSync(file))).sort((a, b) => a.no - b.no);
      return [{ id, items, remove: () => own.forEach((file) => void rmSync(file, { force: true })) }];
    } catch {
      // Another process has adopted it.
      return [];
    }
  });
}

function isOrphaned(id: string, files: readonly string[]): boolean {
  if (ownJournals.has(id)) return false;
  const [, name = "", pid = ""] = /^(.*)\.(\d+)\.[^.]+$/.exec(id) ?? [];
  if (name === host) return Number(pid) === process.pid || !isRunning(Number(pid));
  const used = Math.max(...files.map((file) => statSync(file).mtimeMs));
  return Date.now() - used > deadAfterMs;
}

/** Reads lines up to the zero byte, or up to a line that was cut off. */
function parseItems(bytes: Buffer): JournalItem[] {
  const end = bytes.indexOf(0);
  const items: JournalItem[] = [];
  for (const line of bytes.toString("utf8", 0, end < 0 ? bytes.length : end).split("\n")) {
    if (line === "") break;
    try {
      items.push(parseStoredJson(line));
    } catch {
      break;
    }
  }
  return items;
}
