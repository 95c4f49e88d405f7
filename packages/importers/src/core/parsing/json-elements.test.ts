import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Step, walkJson } from "./json-elements.ts";

const createByteSource = (text: string, size: number) =>
  async function* (from: number): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = from; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };

async function collectSteps(text: string, opened: readonly string[], size = 5, maxBytes?: number): Promise<string[]> {
  const describeStep = ({ kind, path }: Step) => `${kind === "enter" ? "+" : "-"}${path}`;
  const found: string[] = [];
  const options = {
    shouldOpen: (path: string) => opened.includes(path),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
  for await (const step of walkJson(createByteSource(text, size), options)) {
    if (step.kind !== "value") found.push(describeStep(step));
    else found.push(`${step.path}=${step.element.failure?.code ?? JSON.stringify(step.element.value)}`);
  }
  return found;
}

describe("[IMP-9] streaming JSON", () => {
  const file = '{"a": 1, "list": [{"n": "x,]}\\"", "m": [1, [2]]}, {"m": []}], "z": {"y": null}}';

  it.each([3, 4, 5, 1000])("yields the same result in chunks of %i bytes", async (size) => {
    expect(await collectSteps(file, ["", "list", "list/*", "list/*/m"], size)).toEqual([
      "+",
      "a=1",
      "+list",
      "+list/*",
      'list/*/n="x,]}\\""',
      "+list/*/m",
      "list/*/m/*=1",
      "list/*/m/*=[2]",
      "-list/*/m",
      "-list/*",
      "+list/*",
      "+list/*/m",
      "-list/*/m",
      "-list/*",
      "-list",
      'z={"y":null}',
      "-",
    ]);
  });

  it("parses values that are not opened as a whole", async () => {
    expect(await collectSteps(` ${file} `, [])).toEqual([`=${JSON.stringify(JSON.parse(file))}`]);
    expect(await collectSteps("\ufeff[1, [2]]", [""])).toEqual(["+", "*=1", "*=[2]", "-"]);
  });

  it("rejects only the malformed value", async () => {
    expect(await collectSteps('[{"a": }, tru, 3 4, {"b": 1}, ', [""])).toEqual([
      "+",
      "*=malformed",
      "*=malformed",
      "*=malformed",
      '*={"b":1}',
      "-",
    ]);
    expect(await collectSteps('{7, "a" 8, "b": 9, "c": "cut', [""])).toEqual([
      "+",
      "=malformed",
      "a=malformed",
      "b=9",
      "c=truncated",
      "-",
    ]);
    expect(await collectSteps(`["${"x".repeat(50)}", 1]`, [""], 5, 20)).toEqual(["+", "*=too_long", "*=1", "-"]);
  });

  it("yields the same values as JSON.parse for any chunks", async () => {
    const any = fc.json({ maxDepth: 3 }).map((text) => JSON.parse(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(any),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0, 2),
        async (list, size, space) => {
          const found = await collectSteps(JSON.stringify(list, null, space), [""], size);
          expect(found).toEqual(["+", ...list.map((value) => `*=${JSON.stringify(value)}`), "-"]);
        },
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ minLength: 1 }), any),
        fc.integer({ min: 1, max: 9 }),
        async (object, size) => {
          const found = await collectSteps(JSON.stringify(object), [""], size);
          const values = Object.entries(object).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
          expect(found).toEqual(["+", ...values, "-"]);
        },
      ),
    );
  });
});
