import { PdppError } from "@pdpp/contract/errors";
import { parseQuietHours } from "@pdpp/contract/schedule";
import { describeSourceStatus } from "@pdpp/evidence/text/source-status";
import type { Context } from "hono";
import { buildPageHeaders } from "../frame/frame.tsx";
import type { Guard } from "../frame/guard.ts";
import { loadNames } from "../frame/names.ts";
import type { ConsoleParts } from "../frame/session.ts";
import type { Viewer } from "../frame/viewer.ts";
import { explainDiskAccess } from "../import/disk-access.ts";
import { describeAction, findAction, getConfirmationUrl } from "../settings/confirmations.ts";
import { readFormField } from "../settings/settings.ts";
import type { OwnerSession } from "../sign-in/sign-in-service.ts";
import { renderAddPage } from "./add-page.tsx";
import { readFields } from "./fields.tsx";
import { asRunning, loadSources, nameSource } from "./load-sources.ts";
import { renderSourcePage } from "./source-page.tsx";
import type { NewSource, SourceService } from "./source-service.ts";
import { getSourceUrl, renderSourcesPage } from "./sources-page.tsx";

const runsPerPage = 25;

export function addSourceRoutes({ page, action, wizard }: Guard, parts: ConsoleParts): void {
  const { now, getOwner, sources, getDiskAccess = async () => "elsewhere" as const } = parts;
  const service = (): SourceService => {
    if (sources !== undefined) return sources;
    throw new PdppError("not_found", "this server doesn't collect sources. Run pdpp source sync instead");
  };
  /** Before anything is looked at, so that the answer does not depend on what is there. */
  const requireDiskAccess = async (kind: string): Promise<void> => {
    const disk = await getDiskAccess();
    if (disk === "open" || !sources?.kinds.some(({ key, needsDisk }) => key === kind && needsDisk)) return;
    throw new PdppError("permission_error", explainDiskAccess(disk));
  };
  const readId = (c: Context): string => c.req.param("id") ?? "";
  const findConfirmation = async (c: Context, session: OwnerSession): Promise<string | undefined> => {
    const entry = await findAction(getOwner(session), c.req.query("did"), "source.");
    return entry === undefined ? undefined : describeAction(entry);
  };

  page("/sources", async (c, session, viewer) => {
    const owner = getOwner(session);
    const names = await loadNames(owner);
    const view = {
      ...(await loadSources(owner, names, now(), (id) => sources?.getActivity(session, id) !== undefined)),
      names,
      canRun: sources !== undefined,
      confirmation: await findConfirmation(c, session),
    };
    return c.html(renderSourcesPage({ ...view, viewer, now: now() }), 200, buildPageHeaders());
  });

  const showForm = async (c: Context, kind: string, given: NewSource, viewer: Viewer, fault?: string) => {
    const disk = await getDiskAccess();
    const kinds = (sources?.kinds ?? []).filter(({ needsDisk }) => !needsDisk || disk === "open");
    const chosen = kinds.find(({ key }) => key === kind);
    return c.html(
      renderAddPage({ kinds, disk, chosen, given, fault, viewer }),
      fault === undefined ? 200 : 400,
      buildPageHeaders(),
    );
  };
  page("/sources/add", async (c, _session, viewer) =>
    showForm(c, c.req.query("kind") ?? "", { label: "", values: {} }, viewer),
  );
  wizard("/sources/add", async (c, session, viewer, form) => {
    const kind = String(form.get("kind") ?? "");
    const given = { label: String(form.get("label") ?? "").slice(0, 200), values: readFields(form) };
    try {
      await requireDiskAccess(kind);
      return c.redirect(getSourceUrl(await service().add(session, kind, given)), 303);
    } catch (error) {
      if (!(error instanceof PdppError) || error.status !== 400) throw error;
      return showForm(c, kind, given, viewer, error.message);
    }
  });

  const showSource = async (c: Context, session: OwnerSession, viewer: Viewer, fault?: string): Promise<Response> => {
    const id = readId(c);
    const owner = getOwner(session);
    const activity = sources?.getActivity(session, id);
    const source = asRunning(await owner.sources.get(id), activity !== undefined);
    const [names, { time_zone: zone }] = [await loadNames(owner), await owner.self()];
    const before = /^\d{1,12}$/.exec(c.req.query("before") ?? "")?.[0];
    const runs = await owner.sources.listRuns(id, runsPerPage + 1, before === undefined ? undefined : Number(before));
    const shown = runs.slice(0, runsPerPage);
    const connection = (await owner.connections.list()).find((each) => each.connection_id === source.connection_id);
    const view = {
      source,
      records: connection?.record_count ?? 0,
      label: nameSource(source, names),
      status: describeSourceStatus(source, now(), zone),
      runs: shown,
      next: runs.length > runsPerPage ? shown.at(-1)?.run_number : undefined,
      isFirst: before === undefined,
      activity,
      credentialFields: (await sources?.listCredentialFields(session, id)) ?? [],
      canRun: sources !== undefined,
      confirmation: await findConfirmation(c, session),
      fault,
      names,
    };
    const status = fault === undefined ? 200 : 400;
    return c.html(renderSourcePage({ ...view, viewer, now: now() }), status, buildPageHeaders(undefined, "reads on"));
  };
  page("/source/:id", (c, session, viewer) => showSource(c, session, viewer));

  action("/source/:id/run", async (c, session) => {
    await service().run(session, readId(c), (await readFormField(c, "full")) === "1");
    return getSourceUrl(readId(c));
  });
  action("/source/:id/cancel", async (c, session) => {
    await service().cancel(session, readId(c));
    return getSourceUrl(readId(c));
  });
  for (const [name, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const)
    action(`/source/:id/${name}`, async (c, session) => {
      const owner = getOwner(session);
      await owner.sources.setPaused(readId(c), isPaused);
      if (isPaused) await sources?.cancel(session, readId(c));
      return getConfirmationUrl(owner, `source.${name}`, getSourceUrl(readId(c)));
    });
  action("/source/:id/schedule", async (c, session) => {
    const [every, from, to] = [
      await readFormField(c, "every"),
      await readFormField(c, "from"),
      await readFormField(c, "to"),
    ];
    const quiet_hours = from === "" && to === "" ? undefined : parseQuietHours(`${from}-${to}`);
    if (quiet_hours === undefined && (from !== "" || to !== ""))
      throw new PdppError("invalid_argument", "quiet hours need two different times");
    const owner = getOwner(session);
    const interval = Number(every);
    const choice =
      every === "manual" ? ({ mode: "manual" } as const) : ({ mode: "automatic", interval_seconds: interval } as const);
    await owner.sources.setSchedule(readId(c), { ...choice, quiet_hours });
    return getConfirmationUrl(owner, "source.schedule", getSourceUrl(readId(c)));
  });
  action("/source/:id/remove", async (c, session) => {
    if ((await readFormField(c, "confirmed")) !== "1")
      throw new PdppError("invalid_argument", "tick the box to confirm that the source is no longer collected");
    const owner = getOwner(session);
    await sources?.cancel(session, readId(c));
    await owner.sources.remove(readId(c));
    return getConfirmationUrl(owner, "source.remove", "/sources");
  });
  action("/source/:id/answer", async (c, session) => {
    const form = await c.req.formData();
    const values = form.get("act") === "decline" ? undefined : readFields(form);
    await service().answer(session, readId(c), String(form.get("question") ?? ""), values);
    return getSourceUrl(readId(c));
  });
  wizard("/source/:id/credentials", async (c, session, viewer, form) => {
    try {
      await service().renewCredentials(session, readId(c), readFields(form));
      return c.redirect(getSourceUrl(readId(c)), 303);
    } catch (error) {
      if (!(error instanceof PdppError) || error.status !== 400) throw error;
      return showSource(c, session, viewer, error.message);
    }
  });
}
