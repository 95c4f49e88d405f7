import { createServer } from "node:net";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { createApp } from "#server/app";
import { createSignInCode } from "#server/auth/sessions";
import { createPublicFetch, type Resolve } from "#server/oauth/public-fetch";
import type { Attack } from "../attack.ts";
import { createTrials } from "../trials.ts";
import { withSample } from "../web/visitor.ts";

/** Client-id documents that lead a vault to its own network: by address, by name, by redirect, and by a name that changes. */

const site = "https://vault.example";
const privateAddresses = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "::ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "fe80::1",
  "fd00::1",
  "ff02::1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
];
const hosts = [
  "127.0.0.1",
  "[::1]",
  "[::ffff:10.0.0.1]",
  "2130706433",
  "0x7f.1",
  "0177.0.0.1",
  "localhost",
  "vault.localhost",
  "nas.local",
  "intranet",
  "router.lan",
  "agent.example:8443",
  "user:pass@agent.example",
];
const publicAddress = "93.184.215.14";

export const misleadingDocuments: Attack = {
  name: "leading the vault into its network with client documents",
  engines: ["sqlite"],
  run: (target) =>
    withSample(target, async (store) => {
      const trials = createTrials();
      let connections = 0;
      const inside = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
      let clock = Date.now();
      const createVaultPages = async (reach: ReturnType<typeof createPublicFetch>) => {
        const app = createApp({ store, publicUrl: site, now: () => clock, documentFetch: reach });
        const person = createPerson(
          async (request) => app.fetch(request),
          (url) => !url.startsWith(site),
        );
        await person.send(await person.open(`${site}/sign-in`), { code: await createSignInCode(store, 1, clock) });
        return person;
      };
      const authorize = (person: Person, clientId: string) => {
        // The limit on fetches is per minute.
        clock += 61_000;
        const asked = { response_type: "code", client_id: clientId, redirect_uri: "http://127.0.0.1:4/callback" };
        return person.open(`${site}/oauth/authorize?${new URLSearchParams({ ...asked, resource: `${site}/mcp` })}`);
      };

      let lookups = 0;
      let addresses: string[] = [];
      const resolve: Resolve = async () => {
        lookups += 1;
        return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
      };
      const person = await createVaultPages(createPublicFetch(resolve));
      for (const host of hosts) {
        const before = lookups;
        const { status } = await authorize(person, `https://${host}/client.json`);
        trials.note(`${host} was looked up (${status})`, status === 400 && lookups === before);
      }
      for (const [n, address] of privateAddresses.entries())
        for (const resolved of [[address], [publicAddress, address]]) {
          addresses = resolved;
          const { status } = await authorize(person, `https://rebound${n}.example/${resolved.length}.json`);
          trials.note(`a name that resolves to ${resolved} (${status})`, status === 400);
        }

      // The name is checked once and connected to once: a second lookup could give another address.
      lookups = 0;
      let checked = 0;
      const rebinding = createPublicFetch(
        async () => {
          lookups += 1;
          return [{ address: lookups === 1 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
        },
        (address) => {
          checked += 1;
          return address === "127.0.0.2";
        },
      );
      const listening = inside.address();
      const port = typeof listening === "object" ? (listening?.port ?? 0) : 0;
      await rebinding(`https://rebinding.example:${port}/`, {}).then(
        () => trials.note("a rebound name was read", false),
        () => undefined,
      );
      trials.note(`${lookups} lookups of one name`, lookups === 1 && checked === 1);

      // Redirects are not followed, wherever they lead.
      const targets = [
        `http://127.0.0.1:${port}/`,
        "https://169.254.169.254/",
        "https://agent.example/other.json",
        "file:///etc/passwd",
      ];
      for (const status of [301, 302, 303, 307, 308])
        for (const [n, location] of targets.entries()) {
          let fetches = 0;
          const reader = await createVaultPages(async () => {
            fetches += 1;
            return new Response(null, { status, headers: { location } });
          });
          const page = await authorize(reader, `https://agent.example/${status}-${n}.json`);
          trials.note(`a redirect (${status}) to ${location}`, page.status === 400 && fetches === 1);
        }
      trials.note(`${connections} connections to this machine`, connections === 0);
      inside.close();
      return trials.conclude("addresses, names and redirects led nowhere");
    }),
};
