import type { Json, JsonObject } from "./declaration.ts";
import { at, type FaultList, isObject, quote } from "./manifest-fault.ts";

/**
 * Reads one object of a manifest key by key. A key of the wrong type is reported and then treated as absent, like
 * null. Only own keys are read, so `__proto__` and `constructor` are ordinary names.
 */
export class ObjectReader {
  readonly value: JsonObject;
  readonly path: string;
  readonly faults: FaultList;

  constructor(value: JsonObject, path: string, faults: FaultList) {
    this.value = value;
    this.path = path;
    this.faults = faults;
  }

  at(key: string): string {
    return at(this.path, key);
  }

  get(key: string): Json | undefined {
    return Object.hasOwn(this.value, key) ? (this.value[key] ?? undefined) : undefined;
  }

  string(key: string): string | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === "string") return value;
    return this.refuse(key, "must be a string");
  }

  requiredString(key: string): string | undefined {
    const value = this.string(key);
    if (value === undefined && this.get(key) === undefined) return this.refuse(key, "is required");
    return value === "" ? this.refuse(key, "must not be empty") : value;
  }

  boolean(key: string): boolean | undefined {
    const value = this.get(key);
    if (value === undefined || typeof value === "boolean") return value;
    return this.refuse(key, "must be true or false");
  }

  object(key: string): ObjectReader | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (isObject(value)) return new ObjectReader(value, this.at(key), this.faults);
    return this.refuse(key, "must be an object");
  }

  array(key: string): Json[] {
    const value = this.get(key);
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.refuse(key, "must be an array");
    return [];
  }

  /** Reads an array of objects, each with its path; other items are errors. */
  objects(key: string): ObjectReader[] {
    const readers: ObjectReader[] = [];
    for (const [index, item] of this.array(key).entries()) {
      const path = at(this.at(key), index);
      if (isObject(item)) readers.push(new ObjectReader(item, path, this.faults));
      else this.faults.add(path, "invalid", "must be an object");
    }
    return readers;
  }

  /** Reads an array of distinct strings with their paths. */
  strings(key: string): { value: string; path: string }[] {
    const found = new Map<string, string>();
    for (const [index, item] of this.array(key).entries()) {
      const path = at(this.at(key), index);
      if (typeof item !== "string") this.faults.add(path, "invalid", "must be a string");
      else if (!found.has(item)) found.set(item, path);
    }
    return [...found].map(([value, path]) => ({ value, path }));
  }

  refuse(key: string, message: string): undefined {
    this.faults.add(this.at(key), "invalid", message);
    return undefined;
  }
}

const LONGEST_NAME = 200;

/** Why a field or stream cannot have this name, or null. */
export function nameFault(name: string): string | null {
  if (name === "") return "must not be empty";
  if (name.includes("\0")) return "must not contain NUL";
  if (!name.isWellFormed()) return "must be well-formed Unicode";
  if ([...name].length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return null;
}

/**
 * Stream names are part of handles (`connection/stream:record`) and paths, so they cannot contain their separators.
 */
export function streamNameFault(name: string): string | null {
  if (name === "*") return '"*" means every stream and cannot name one';
  if (/[/:]/.test(name)) return `must not contain "/" or ":", as ${quote(name)} does`;
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  return nameFault(name);
}
