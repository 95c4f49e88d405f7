import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { iconPath } from "@pdpp/contract/icon";

/** The static files of the pages, by URL path. They are the same for everyone and contain no vault data. */
const files = {
  [iconPath]: ["icon.svg"],
  "/assets/style.css": [
    "styles/base.css",
    "styles/components.css",
    "styles/consent.css",
    "styles/source-list.css",
    "styles/decision.css",
    "styles/frame.css",
    "styles/records.css",
    "styles/home.css",
    "styles/views/days.css",
    "styles/views/photos.css",
    "styles/views/places.css",
    "styles/activity.css",
    "styles/agents.css",
    "styles/settings.css",
    "styles/explore.css",
    "styles/import.css",
    "styles/sources.css",
    "styles/views/calendar.css",
    "styles/views/conversation.css",
    "styles/views/money.css",
    "styles/views/mail.css",
    "styles/views/document.css",
    "styles/views/people.css",
  ],
  "/assets/agents.js": ["agents.js"],
  "/assets/back.js": ["back.js"],
  "/assets/consent.js": ["consent.js"],
  "/assets/conversation.js": ["conversation.js"],
  "/assets/go.js": ["go.js"],
  "/assets/import.js": ["import.js"],
  "/assets/keys.js": ["keys.js"],
  "/assets/live-log.js": ["live-log.js"],
  "/assets/passkey.js": ["passkey.js"],
  "/assets/photos.js": ["photos.js"],
  "/assets/places.js": ["places.js"],
  "/assets/read-on.js": ["read-on.js"],
  "/assets/recent-searches.js": ["recent-searches.js"],
  "/assets/reload.js": ["reload.js"],
  "/assets/sentence.js": ["sentence.js"],
  "/assets/sign-in.js": ["sign-in.js"],
  "/assets/strip.js": ["strip.js"],
  "/assets/times.js": ["times.js"],
} as const;

export type AssetPath = keyof typeof files;
export type ScriptPath = Extract<AssetPath, `${string}.js`>;

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const types: Record<string, string> = { ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml" };

const folder = new URL("../../assets/", import.meta.url);

export const assets: readonly Asset[] = Object.entries(files).map(([path, names]) => ({
  path,
  type: types[extname(path)]!,
  text: names.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n"),
}));

export const serveAsset = ({ type, text }: Asset): Response =>
  new Response(text, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "public, max-age=3600" },
  });
