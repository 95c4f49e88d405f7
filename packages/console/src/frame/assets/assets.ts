import { iconPath } from "@pdpp/contract/icon";
import { liveScript } from "../../activity/live-script.ts";
import { exploreStyle } from "../../explore/explore-style.ts";
import { importScript } from "../../import/import-script.ts";
import { importStyle } from "../../import/import-style.ts";
import { settingsStyle } from "../../settings/settings-style.ts";
import {
  consentScriptPath,
  importScriptPath,
  keyScriptPath,
  liveLogScriptPath,
  passkeyScriptPath,
  readOnScriptPath,
  reloadScriptPath,
  signInScriptPath,
  stylePath,
  timeScriptPath,
} from "../frame.tsx";
import { consoleStyle } from "./console-style.ts";
import { frameStyle } from "./frame-style.ts";
import { keyScript } from "./key-script.ts";
import { consentScript, passkeyScript, readOnScript, reloadScript, signInScript } from "./scripts.ts";
import { icon, style } from "./style.ts";
import { timeScript } from "./time-script.ts";

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

const createScript = (path: string, text: string): Asset => ({ path, type: "text/javascript", text });

/** Static files of the pages; the same for everyone, without vault data. */
export const assets: readonly Asset[] = [
  { path: iconPath, type: "image/svg+xml", text: icon },
  {
    path: stylePath,
    type: "text/css",
    text: style + frameStyle + consoleStyle + settingsStyle + exploreStyle + importStyle,
  },
  createScript(signInScriptPath, signInScript),
  createScript(passkeyScriptPath, passkeyScript),
  createScript(consentScriptPath, consentScript),
  createScript(readOnScriptPath, readOnScript),
  createScript(reloadScriptPath, reloadScript),
  createScript(liveLogScriptPath, liveScript),
  createScript(keyScriptPath, keyScript),
  createScript(timeScriptPath, timeScript),
  createScript(importScriptPath, importScript),
];

export const serveAsset = ({ type, text }: Asset): Response =>
  new Response(text, {
    headers: { "content-type": `${type}; charset=utf-8`, "cache-control": "public, max-age=3600" },
  });
