import { setTimeout as wait } from "node:timers/promises";
import { setReadOnly } from "@pdpp/test-support/postgres/read-only";
import type { Attack } from "./attack.ts";
import { asOwner, everyNote, fillWithNotes, runOnVault, startServing } from "./served.ts";

/** A server must say that it cannot write: by exiting when it starts, and with `/readyz` when it runs. */
export const readOnlyDatabase: Attack = {
  name: "making the database read-only",
  engines: ["postgres"],
  async run(target) {
    const { databaseUrl = "" } = target;
    const token = await asOwner(target, async (owner) => {
      await fillWithNotes(owner, 100, 100);
      return (await owner.grants.issue(everyNote)).token;
    });
    const server = await startServing(target);
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, server.url), { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      return answer.status;
    };
    /** A read is logged, so the server tries to write. */
    const readUntil = async (status: number): Promise<boolean> => {
      for (let n = 0; n < maxTries; n += 1) {
        await ask("/v1/streams");
        if ((await ask("/readyz")) === status) return true;
        await wait(pauseMs);
      }
      return false;
    };
    try {
      await setReadOnly(databaseUrl, "on");
      const isReported = await readUntil(503);
      const reads = await ask("/v1/streams/notes/records?limit=5");
      const { code } = await runOnVault(target, "serve", "--port", "0");
      await setReadOnly(databaseUrl, "off");
      const isReadyAgain = await readUntil(200);
      return {
        held: isReported && isReadyAgain && reads === 200 && code === 1,
        figure: `/readyz ${isReported ? "answers 503" : "says nothing"}, and 200 again ${isReadyAgain ? "afterwards" : "never"}; reads answer ${reads}; a new server exits with ${code}`,
      };
    } finally {
      await server.stop();
    }
  },
};

const maxTries = 300;
const pauseMs = 200;
