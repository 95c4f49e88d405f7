import { PdppError } from "@pdpp/contract/errors";
import type { OwnerApi } from "@pdpp/contract/owner";
import { type PersonIds, peopleConnectorKey, peopleStream } from "@pdpp/contract/people";
import { formatHandle, parseHandle } from "@pdpp/evidence/handles/handle";
import { isolateLabel } from "@pdpp/evidence/text/label";
import type { Context } from "hono";
import { readName, readNumber, readText } from "../../explore/request.ts";
import {
  createImpersonatedViewpoint,
  createOwnerViewpoint,
  impersonationPattern,
  type Viewpoint,
} from "../../explore/viewpoint.tsx";
import { buildUrl, getRecordUrl } from "../../frame/addresses.ts";
import { buildPageHeaders } from "../../frame/frame.tsx";
import type { Guard } from "../../frame/guard.ts";
import type { ConsoleParts } from "../../frame/session.ts";
import type { Viewer } from "../../frame/viewer.ts";
import type { OwnerSession } from "../../sign-in/sign-in-service.ts";
import { getDay } from "./days.tsx";
import { findMentions, findQuestion, listTabs, loadPersonFrom, loadRecords, mentionsTab } from "./load-person.ts";
import { renderMergePage } from "./merge-page.tsx";
import { renderPeoplePage } from "./people-page.tsx";
import { findPeopleConnection, getPersonUrl, listPeople, type PersonView, searchPeople } from "./person-data.ts";
import { renderPersonPage } from "./person-page.tsx";
import type { PersonPageView } from "./person-view.ts";
import { findSameNames } from "./same-names.ts";

const peoplePerPage = 50;
const foundPeople = 12;
const defaultShow = 10;
const maxShow = 200;

export function addPeopleRoutes(guard: Guard, parts: ConsoleParts): void {
  const getOwnerViewpoint: GetViewpoint = (_, session) => createOwnerViewpoint(parts, session);
  addPeoplePages(guard, parts, "", getOwnerViewpoint);
  addPeoplePages(guard, parts, impersonationPattern, (c, session) =>
    createImpersonatedViewpoint(parts, session, c.req.param("grant") ?? "", parts.getOrigin(c.req.raw)),
  );
  guard.page("/person/merge", async (c, session, viewer) => {
    const viewpoint = await createOwnerViewpoint(parts, session);
    const person = await requirePerson(viewpoint, readName(c, "id"));
    const otherId = readName(c, "other");
    const other = otherId === "" ? undefined : await requirePerson(viewpoint, otherId);
    const q = readText(c, "q") ?? "";
    const { connectionId } = parseHandle(person.handle)!;
    const found = q === "" ? [] : await searchPeople(viewpoint.reader, connectionId, q, foundPeople);
    const others = found.filter(({ id }) => id !== person.id);
    const view = { person, q, found: others, other, names: viewpoint.names, viewer };
    return c.html(renderMergePage(view), 200, buildPageHeaders());
  });
  addDecisionRoutes(guard, parts);
}

type GetViewpoint = (c: Context, session: OwnerSession) => Promise<Viewpoint>;

function addPeoplePages({ page }: Guard, parts: ConsoleParts, base: string, getViewpoint: GetViewpoint): void {
  const loadToday = async (owner: OwnerApi) => {
    const { time_zone: timeZone } = await owner.self();
    return { timeZone, today: getDay(parts.now(), timeZone) };
  };
  page(`${base}/people`, async (c, session, viewer) => {
    const { reader, names, impersonatedGrant } = await getViewpoint(c, session);
    const connection = await findPeopleConnection(reader);
    const q = readText(c, "q")?.slice(0, 200) ?? "";
    const found =
      connection === undefined
        ? { people: [], nextCursor: undefined }
        : q === ""
          ? await listPeople(reader, connection, { cursor: readText(c, "cursor"), limit: peoplePerPage })
          : { people: await searchPeople(reader, connection, q, foundPeople), nextCursor: undefined };
    const owner = parts.getOwner(session);
    const isOwner = impersonatedGrant === undefined;
    const decisions = isOwner ? await owner.people.listDecisions() : [];
    const view = {
      ...found,
      q,
      names,
      isFull: isOwner && (await owner.people.isFull()),
      sameNames: isOwner ? findSameNames(found.people, decisions) : [],
      done: decisions.find(({ id }) => id === readName(c, "did")),
      viewer,
      impersonatedGrant,
      ...(await loadToday(owner)),
    };
    return c.html(renderPeoplePage(view), 200, buildPageHeaders());
  });
  page(`${base}/person`, async (c, session, viewer) => {
    const viewpoint = await getViewpoint(c, session);
    const id = readName(c, "id");
    const person = await loadPersonFrom(viewpoint, id);
    if (person === "another kind") return c.redirect(getRecordUrl(id), 303);
    const owner = parts.getOwner(session);
    return respondWithPerson(c, owner, viewpoint, person, viewer, await loadToday(owner));
  });
}

async function respondWithPerson(
  c: Context,
  owner: OwnerApi,
  viewpoint: Viewpoint,
  person: PersonView,
  viewer: Viewer,
  days: Pick<PersonPageView, "today" | "timeZone">,
): Promise<Response> {
  const { names, impersonatedGrant, reader } = viewpoint;
  const tabs = listTabs(person, names);
  const tab = tabs.find(({ name }) => name === readName(c, "tab")) ?? tabs[0]!;
  const show = Math.min(maxShow, Math.max(defaultShow, readNumber(c, "show") ?? defaultShow));
  const isMentions = tab.name === mentionsTab;
  const isOwner = impersonatedGrant === undefined;
  const decisions = isOwner ? await owner.people.listDecisions() : [];
  const done = decisions.find(({ id }) => id === readName(c, "did"));
  const { connectionId } = parseHandle(person.handle)!;
  const view = {
    person,
    tabs,
    tab,
    show,
    list: isMentions ? { items: [], more: 0, older: 0 } : await loadRecords(owner, viewpoint, person, tab, show),
    mentions: isMentions ? await findMentions(viewpoint, person) : [],
    question: isOwner && done === undefined ? await findQuestion(reader, connectionId, person, decisions) : undefined,
    done,
    shared: isOwner ? await listSharedWith(owner) : [],
    names,
    viewer,
    impersonatedGrant,
    ...days,
  };
  return c.html(renderPersonPage(view), 200, buildPageHeaders());
}

async function listSharedWith(owner: OwnerApi) {
  const granted = (await owner.grants.list()).filter(
    ({ status, connector_key }) => status === "active" && connector_key === peopleConnectorKey,
  );
  return granted.map(({ grant_id, package_id, client }) => ({
    id: package_id ?? grant_id,
    client: isolateLabel(client.name),
  }));
}

async function requirePerson(viewpoint: Viewpoint, id: string): Promise<PersonView> {
  const person = await loadPersonFrom(viewpoint, id);
  if (person === "another kind") throw new PdppError("not_found", "this link doesn't point to a person");
  return person;
}

/** Tells two people of one name apart. */
function describePerson({ display_name, identities: [first] }: PersonView, { names }: Viewpoint): string {
  if (first === undefined) return display_name;
  const detail = first.kind === "name" ? names.source(first.connection_ids[0] ?? "") : first.value;
  return `${display_name} (${detail})`;
}

function addDecisionRoutes({ action }: Guard, parts: ConsoleParts): void {
  const readField = async (c: Context, name: string): Promise<string> => {
    const value = (await c.req.formData()).get(name);
    return typeof value === "string" ? value : "";
  };
  const getPageUrl = (person: PersonView, people: PersonIds, identity: string, did?: string): string => {
    const { connectionId } = parseHandle(person.handle)!;
    const recordId = people.get(identity);
    if (recordId === undefined) return "/people";
    const url = `/${getPersonUrl(formatHandle({ connectionId, stream: peopleStream, recordId }))}`;
    return did === undefined ? url : `${url}&did=${encodeURIComponent(did)}`;
  };
  const listIdentities = ({ identities }: PersonView): string[] => identities.map(({ identity }) => identity);
  const decide = (kind: "same" | "different") => async (c: Context, session: OwnerSession) => {
    const owner = parts.getOwner(session);
    const viewpoint = await createOwnerViewpoint(parts, session);
    const person = await requirePerson(viewpoint, await readField(c, "id"));
    const other = await requirePerson(viewpoint, await readField(c, "other"));
    const [[identity = "", ...rest], others] = [listIdentities(person), listIdentities(other)];
    if (person.id === other.id) return `/${getPersonUrl(person.handle)}`;
    const isSameName = person.display_name === other.display_name;
    const [one, two] = [person, other].map((each) =>
      isSameName ? describePerson(each, viewpoint) : each.display_name,
    );
    const [title, all] =
      kind === "same"
        ? [`${one} and ${two} are one person`, [...rest, ...others]]
        : [`${one} and ${two} are different people`, others];
    const { decision, people } = await owner.people.decide({ kind, identity, others: all, title });
    return (await readField(c, "from")) === "people"
      ? buildUrl("/people", { did: decision.id })
      : getPageUrl(person, people, identity, decision.id);
  };
  action("/person/same", decide("same"));
  action("/person/different", decide("different"));
  action("/person/split", async (c, session) => {
    const owner = parts.getOwner(session);
    const person = await requirePerson(await createOwnerViewpoint(parts, session), await readField(c, "id"));
    const identity = await readField(c, "identity");
    const others = listIdentities(person).filter((each) => each !== identity);
    const split = person.identities.find((each) => each.identity === identity);
    if (split === undefined || others.length === 0) return `/${getPersonUrl(person.handle)}`;
    const title = `${split.value} is not ${person.display_name}`;
    const { decision, people } = await owner.people.decide({ kind: "different", identity, others, title });
    return getPageUrl(person, people, others[0]!, decision.id);
  });
  action("/person/undo", async (c, session) => {
    const owner = parts.getOwner(session);
    const [id, decision] = [await readField(c, "id"), await readField(c, "decision")];
    // From the list, no person stays in view.
    if (id === "") {
      await owner.people.undo(decision);
      return "/people";
    }
    const person = await requirePerson(await createOwnerViewpoint(parts, session), id);
    const people = await owner.people.undo(decision);
    return getPageUrl(person, people, listIdentities(person)[0] ?? "");
  });
}
