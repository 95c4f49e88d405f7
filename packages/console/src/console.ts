import { Hono } from "hono";
import { addActivityRoutes } from "./activity/activity.ts";
import { addAgentRoutes } from "./agents/agent-routes.ts";
import { addExploreRoutes } from "./explore/explore.ts";
import { assets, serveAsset } from "./frame/assets.ts";
import { renderErrorPage } from "./frame/error-page.ts";
import { createGuard } from "./frame/guard.ts";
import type { ConsoleParts } from "./frame/session.ts";
import { addHomeRoutes } from "./home/home.ts";
import { addImportRoutes } from "./import/import-routes.ts";
import { addBrowserRoutes } from "./settings/browser-routes.ts";
import { addDeletionRoutes } from "./settings/deletion.ts";
import { addSettingsRoutes } from "./settings/settings.ts";
import { addSignInRoutes } from "./sign-in/sign-in.ts";

export function createConsole(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.onError(renderErrorPage);
  for (const asset of assets) app.get(asset.path, () => serveAsset(asset));
  addSignInRoutes(app, parts);
  const guarded = createGuard(app, parts);
  addHomeRoutes(guarded, parts);
  addExploreRoutes(guarded, parts);
  addAgentRoutes(guarded, parts);
  addActivityRoutes(guarded, parts);
  addSettingsRoutes(guarded, parts);
  addImportRoutes(guarded, parts);
  addBrowserRoutes(guarded, parts);
  addDeletionRoutes(guarded, parts);
  return app;
}
