import { engineNames, newVault } from "@pdpp/test-support/vaults/new-vault";
import { describe } from "vitest";
import { storeConformance } from "./store.conformance.ts";

describe.concurrent.each(engineNames)("store on %s", (engine) => storeConformance(() => newVault(engine)));
