import type { Json, JsonObject } from "./declaration.ts";
import { appendPath, type IssueList, isObject, quote } from "./manifest-issues.ts";

/**
 * Reads one object of a manifest key by key. A key of the wrong type is reported and then treated as absent, like
 * null. Only own keys are read, so `__proto__` and `constructor` are ordinary names.
 */
export class ObjectReader {
  readonly value: JsonObject;
  readonly path: string;
  readonly faults: IssueList;

  constructor(value: JsonObject, path: string, faults: IssueList) {
    this.value = value;
    this.path = path;
    this.faults = faults;
  }

  pathTo(key: string): string {
    return appendPath(this.path, key);
  }

  get(key: string): Json | undefined {
    return Object.hasOwn(this.value, key) ? (this.value[key] ?? undefined) : undefined;
  }

  readString(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === "string") return value;
    return this.refuse(key, "must be a string");
  }

  requireString(key: string): string | undefined {
    const value = this.readString(key);
    if (value === undefined && this.get(key) === undefined) return this.refuse(key, "is required");
    return value === "" ? this.refuse(key, "must not be empty") : value;
  }

  readBoolean(key: string): boolean | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === "boolean") return value;
    return this.refuse(key, "must be true or false");
  }

  readObject(key: string): ObjectReader | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (isObject(value)) return new ObjectReader(value, this.pathTo(key), this.faults);
    return this.refuse(key, "must be an object");
  }

  readArray(key: string): Json[] {
    const value = this.get(key);
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.refuse(key, "must be an array");
    return [];
  }

  readObjects(key: string): ObjectReader[] {
    const readers: ObjectReader[] = [];
    for (const [index, item] of this.readArray(key).entries()) {
      const path = appendPath(this.pathTo(key), index);
      if (isObject(item)) readers.push(new ObjectReader(item, path, this.faults));
      else this.faults.add(path, "invalid", "must be an object");
    }
    return readers;
  }

  readStrings(key: string): { value: string; path: string }[] {
    const found = new Map<string, string>();
    for (const [index, item] of this.readArray(key).entries()) {
      const path = appendPath(this.pathTo(key), index);
      if (typeof item !== "string") this.faults.add(path, "invalid", "must be a string");
      else if (!found.has(item)) found.set(item, path);
    }
    return [...found].map(([value, path]) => ({ value, path }));
  }

  refuse(key: string, message: string): undefined {
    this.faults.add(this.pathTo(key), "invalid", message);
    return undefined;
  }
}

const LONGEST_NAME = 200;

/** Why a field or stream cannot have this name, or null. */
export function checkName(name: string): string | null {
  if (name === "") return "must not be empty";
  if (name.includes("\0")) return "must not contain NUL";
  if (!name.isWellFormed()) return "must be well-formed Unicode";
  if ([...name].length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return null;
}

/**
 * Stream names are part of handles (`connection/stream:record`) and paths, so they cannot contain their separators.
 */
export function checkStreamName(name: string): string | null {
  if (name === "*") return '"*" means every stream and cannot name one';
  if (/[/:]/.test(name)) return `must not contain "/" or ":", as ${quote(name)} does`;
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  return checkName(name);
}
