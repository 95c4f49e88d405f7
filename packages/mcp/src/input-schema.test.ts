import { expect, it } from "vitest";
import { buildInputSchema, parseArguments } from "./arguments.ts";
import { tools } from "./server.ts";

it.each(tools.map((tool) => [tool.name, tool] as const))(
  "[HOST-8] a misspelt argument of %s is refused by us, by its name: the schema is open, so that no host does it first",
  (_, tool) => {
    expect(buildInputSchema(tool)).not.toHaveProperty("additionalProperties");
    expect(() => parseArguments(tool, { conection_id: "cin_a" })).toThrow(
      `${tool.name} has no argument "conection_id". Did you mean connection_id?`,
    );
  },
);

it("[HOST-8] no bound is listed that says nothing: some hosts write each one into the description, for every argument", () => {
  const listed = JSON.stringify(tools.map(buildInputSchema));
  expect(listed).not.toContain('"minLength":1,');
  expect(listed).not.toContain('"minLength":1}');
  expect(listed).not.toContain(String(Number.MAX_SAFE_INTEGER));
  expect(() => parseArguments(tools[0]!, { stream: "" })).toThrow("stream must not be empty");
});
