import { createVault, engineNames } from "@pdpp/test-support/vaults/new-vault";
import { afterAll, describe, expect } from "vitest";
import { storeConformance } from "./store.conformance.ts";

const warnings: string[] = [];
process.on("warning", ({ name, message }) => {
  if (name === "DeprecationWarning") warnings.push(message);
});

describe.concurrent.each(engineNames)("store on %s", (engine) => storeConformance(() => createVault(engine)));

// Among them: "Calling client.query() when the client is already executing a query", which pg 9 makes an error.
afterAll(() => expect(warnings).toEqual([]));
