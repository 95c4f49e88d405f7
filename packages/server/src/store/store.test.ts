import { describe } from "vitest";
import { engineNames, newVault } from "../../../../tests/support/vaults.ts";
import { storeConformance } from "./store.conformance.ts";

describe.concurrent.each(engineNames)("store on %s", (engine) => storeConformance(() => newVault(engine)));
