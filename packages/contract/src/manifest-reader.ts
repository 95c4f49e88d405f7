import type { Json, JsonObject } from "./declaration.ts";
import { at, type FaultList, isObject, quote } from "./manifest-fault.ts";

/**
 * One object of a manifest, read key by key. A key of the wrong type is a fault and then reads as absent; null is absent.
 * Only own keys are seen, so that `__proto__` and `constructor` are names like any other.
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

  /** The objects of an array, each with its own path; whatever else is in it is a fault. */
  objects(key: string): ObjectReader[] {
    const readers: ObjectReader[] = [];
    for (const [index, item] of this.array(key).entries()) {
      const path = at(this.at(key), index);
      if (isObject(item)) readers.push(new ObjectReader(item, path, this.faults));
      else this.faults.add(path, "invalid", "must be an object");
    }
    return readers;
  }

  /** The strings of an array with their paths, each string once. */
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

/** Why a field or stream may not be called this, or null. */
export function nameFault(name: string): string | null {
  if (name === "") return "must not be empty";
  if (name.includes("\0")) return "must not contain NUL";
  if (!name.isWellFormed()) return "must be well-formed Unicode";
  if ([...name].length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`;
  return null;
}

/** Stream names stand in handles (`connection/stream:record`) and paths, so they may not contain what separates those. */
export function streamNameFault(name: string): string | null {
  if (name === "*") return '"*" means every stream and cannot name one';
  if (/[/:]/.test(name)) return `must not contain "/" or ":", as ${quote(name)} does`;
  if (/\p{Cc}/u.test(name)) return "must not contain control characters";
  return nameFault(name);
}
