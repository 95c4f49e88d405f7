import { openStore, type Store } from "@pdpp/server/store/store";
import { createSample, type Sample } from "@pdpp/test-support/vaults/sample";
import { readCsrfToken } from "@pdpp/test-support/web/import-page";
import { createPerson, type Person } from "@pdpp/test-support/web/person";
import { createSignInCode } from "#server/auth/sessions";
import { NotTriedError, type Target } from "../attack.ts";
import { type Served, toStoreLocation } from "../served.ts";

/** People in front of a served vault. */

/** Signs the owner in with a link. Each link works once. */
export async function signIn({ url, signInUrl }: Pick<Served, "url" | "signInUrl">): Promise<Person> {
  const { origin } = url;
  const person = createPerson(
    (request) => fetch(request, { redirect: "manual" }),
    (to) => !to.startsWith(origin),
  );
  await person.send(await person.open(`${origin}/sign-in`), { code: new URL(signInUrl).hash.slice(1) });
  return person;
}

/** Makes a link, as the owner's shell does. */
export async function createSignInUrl(target: Target, url: URL): Promise<string> {
  const store = await openStore(toStoreLocation(target));
  try {
    return new URL(`/sign-in#${await createSignInCode(store, 1, Date.now())}`, url).href;
  } finally {
    await store.close();
  }
}

/** The token that every form of the person's session needs. */
export async function loadCsrfToken({ url }: Pick<Served, "url">, person: Person): Promise<string> {
  const csrfToken = readCsrfToken(await person.open(`${url.origin}/settings`));
  if (csrfToken === "") throw new NotTriedError("the owner could not sign in");
  return csrfToken;
}

export const formatCookies = ({ cookies }: Person): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

/** Opens a vault that holds the sample chats and shop. */
export async function withSample<T>(target: Target, work: (store: Store, sample: Sample) => Promise<T>): Promise<T> {
  const { dataDir } = target;
  const store = await openStore(toStoreLocation(target));
  try {
    const vault = { store, dataDir, reopen: async () => undefined, drop: async () => undefined };
    return await work(store, await createSample(vault));
  } finally {
    await store.close();
  }
}
