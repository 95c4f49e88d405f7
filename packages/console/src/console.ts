import { Hono } from "hono";
import { addActivityRoutes } from "./activity/activity.ts";
import { addAgentRoutes } from "./agents/agent-routes.ts";
import { createDayCounter } from "./days/day-counts.ts";
import { addExploreRoutes } from "./explore/explore.ts";
import { addSavedSearchRoutes } from "./explore/saved/saved-routes.ts";
import { assets, serveAsset } from "./frame/assets.ts";
import { renderErrorPage } from "./frame/error-page.tsx";
import { createGuard } from "./frame/guard.ts";
import type { ConsoleParts } from "./frame/session.ts";
import { addGoRoutes } from "./go/go.ts";
import { addHomeRoutes } from "./home/home.ts";
import { addImportRoutes } from "./import/import-routes.ts";
import { addBrowserRoutes } from "./settings/browser-routes.ts";
import { addDeletionRoutes } from "./settings/deletion.ts";
import { addSettingsRoutes } from "./settings/settings.ts";
import { addSignInRoutes } from "./sign-in/sign-in.ts";
import { addSourceRoutes } from "./sources/source-routes.ts";
import { createMonthCounter } from "./views/month-counts.ts";
import { addPeopleRoutes } from "./views/person/people.ts";
import { createUndatedFinder } from "./views/photos/undated.ts";
import { createUndatedLoader } from "./views/places/undated.ts";

export function createConsole(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.onError((error, c) => renderErrorPage(error, c.req.raw, parts));
  for (const asset of assets) app.get(asset.path, () => serveAsset(asset));
  addSignInRoutes(app, parts);
  const guarded = createGuard(app, parts);
  const counter = createDayCounter(parts.now);
  addHomeRoutes(guarded, parts, counter);
  addExploreRoutes(guarded, parts, {
    days: counter,
    months: createMonthCounter(parts.now),
    undated: createUndatedFinder(parts.now),
    undatedPlaces: createUndatedLoader(parts.now),
  });
  addSavedSearchRoutes(guarded, parts);
  addGoRoutes(guarded, parts);
  addPeopleRoutes(guarded, parts);
  addAgentRoutes(guarded, parts);
  addActivityRoutes(guarded, parts);
  addSettingsRoutes(guarded, parts);
  addImportRoutes(guarded, parts);
  addSourceRoutes(guarded, parts);
  addBrowserRoutes(guarded, parts);
  addDeletionRoutes(guarded, parts);
  return app;
}
