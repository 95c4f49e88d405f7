import { Hono } from "hono";
import { activityRoutes } from "./activity/activity.ts";
import { agentRoutes } from "./agents/agent-routes.ts";
import { exploreRoutes } from "./explore/explore.ts";
import { assetResponse, assets } from "./frame/assets.ts";
import { guard } from "./frame/guard.ts";
import { refusalPage } from "./frame/refusal.ts";
import type { ConsoleParts } from "./frame/session.ts";
import { homeRoutes } from "./home/home.ts";
import { importRoutes } from "./import/import-routes.ts";
import { browserRoutes } from "./settings/browser-routes.ts";
import { deletionRoutes } from "./settings/deletion.ts";
import { settingsRoutes } from "./settings/settings.ts";
import { signInRoutes } from "./sign-in/sign-in.ts";

/** The owner's own window on the vault. */
export function consoleRoutes(parts: ConsoleParts): Hono {
  const app = new Hono();
  app.onError(refusalPage);
  for (const asset of assets) app.get(asset.path, () => assetResponse(asset));
  signInRoutes(app, parts);
  const guarded = guard(app, parts);
  homeRoutes(guarded, parts);
  exploreRoutes(guarded, parts);
  agentRoutes(guarded, parts);
  activityRoutes(guarded, parts);
  settingsRoutes(guarded, parts);
  importRoutes(guarded, parts);
  browserRoutes(guarded, parts);
  deletionRoutes(guarded, parts);
  return app;
}
