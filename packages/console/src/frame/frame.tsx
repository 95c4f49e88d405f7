import { iconPath } from "@pdpp/contract/icon";
import { isolateLabel } from "@pdpp/evidence/text/label";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { getImpersonationPath } from "./addresses.ts";
import type { AssetPath, ScriptPath } from "./assets.ts";
import { renderGoDialog } from "./render/go-dialog.tsx";
import { renderKeyDialog } from "./render/keys.tsx";
import { renderRecentSearches } from "./render/recent-searches.tsx";
import { type Room, roomGroups, rooms } from "./rooms.ts";
import type { Viewer } from "./viewer.ts";

/** The layout of every page. Pages work without scripts and load nothing from other sites. */

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const stylePath: AssetPath = "/assets/style.css";

export interface PageOptions {
  readonly scripts?: readonly ScriptPath[];
  /** Set on pages of a signed-in owner. */
  readonly owner?: {
    /** None for errors. */
    readonly room: Room | undefined;
    readonly viewer: Viewer;
    readonly q?: string;
    /** Set when the owner views the vault as an agent. */
    readonly impersonatedGrant?: ImpersonatedGrant | undefined;
  };
  /** Tables and charts use the full width; text does not. */
  readonly isWide?: boolean;
  /** Set on pages that show all times in the owner's zone, whatever the browser's is. */
  readonly timeZone?: string;
  /** Without scripts, reload the page after this many seconds. */
  readonly refreshSeconds?: number;
}

/** The grant through which the owner views the vault. */
export interface ImpersonatedGrant {
  readonly id: string;
  readonly client: string;
  readonly isActive: boolean;
}

const renderImpersonationBanner = ({ id, client, isActive }: ImpersonatedGrant): Html => (
  <p class="impersonating" role="status">
    <span>
      Viewing as{" "}
      <strong>
        <bdi>{client}</bdi>
      </strong>
      {!isActive && ", which no longer has access"}.
    </span>{" "}
    <a href={`/agents/${id}`}>Its access</a> <a href="/explore">Exit</a>
  </p>
);

/** A title holds a name and a few words. */
const maxTitleChars = 200;

export const renderPage = (
  title: string,
  body: Html,
  { scripts = [], owner, isWide = false, refreshSeconds, timeZone }: PageOptions = {},
): Html =>
  html`<!doctype html>${(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{isolateLabel(title, maxTitleChars)} · pdpp</title>
        <link rel="icon" href={iconPath} />
        <link rel="stylesheet" href={stylePath} />
        {listScripts(owner !== undefined, scripts).map((path) => (
          <script src={path} type="module" />
        ))}
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={`${refreshSeconds}`} />
          </noscript>
        )}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {owner === undefined ? (
          <>
            <header class="top">{brand}</header>
            <main id="main" class={isWide ? "wide" : undefined}>
              {body}
            </main>
          </>
        ) : (
          <>
            {renderTopBar(owner)}
            <div class="beside-rooms">
              <div class="rooms">{renderNavigation(owner)}</div>
              <main id="main" class={isWide ? "wide" : undefined}>
                {owner.impersonatedGrant !== undefined && renderImpersonationBanner(owner.impersonatedGrant)}
                {body}
                <footer class="soft zone" data-zone={timeZone === undefined ? "" : undefined}>
                  Times shown in {timeZone?.replaceAll("_", " ") ?? "UTC"}.
                </footer>
              </main>
            </div>
            {renderKeyDialog()}
            {renderGoDialog(owner.impersonatedGrant === undefined ? owner.viewer.savedSearches : undefined)}
          </>
        )}
      </body>
    </html>
  )}`;

const listScripts = (isSignedIn: boolean, scripts: readonly ScriptPath[]): readonly ScriptPath[] =>
  isSignedIn
    ? [
        "/assets/back.js",
        "/assets/times.js",
        "/assets/keys.js",
        "/assets/recent-searches.js",
        "/assets/go.js",
        ...scripts,
      ]
    : ["/assets/times.js", ...scripts];

const brand = (
  <span class="brand">
    <span class="mark" aria-hidden="true"></span>pdpp
  </span>
);

type OwnerOptions = NonNullable<PageOptions["owner"]>;

/** The top bar. On phones its menu replaces the side navigation. */
function renderTopBar(owner: OwnerOptions): Html {
  const root = owner.impersonatedGrant === undefined ? "" : getImpersonationPath(owner.impersonatedGrant.id);
  const label = getSearchLabel(owner.impersonatedGrant);
  return (
    <header class="top" data-owner={owner.viewer.ownerName ?? ""}>
      <a class="to-home" href="/">
        {brand}
      </a>
      <form class="search" role="search" action={`${root}/explore`}>
        <input
          type="search"
          name="q"
          value={owner.q ?? ""}
          aria-label={label}
          aria-keyshortcuts="/"
          placeholder={label}
          required
          autocomplete="off"
          maxlength={2000}
        />
        <kbd aria-hidden="true">/</kbd>
        {owner.impersonatedGrant === undefined && renderRecentSearches("under-search", "p")}
      </form>
      <div class="me">{renderAccount(owner)}</div>
      <details class="menu">
        <summary>Menu</summary>
        <div class="sheet">
          {renderNavigation(owner)}
          {renderAccount(owner)}
        </div>
      </details>
    </header>
  );
}

const renderNavigation = ({ room }: OwnerOptions): Html => (
  <nav aria-label="Pages">
    {roomGroups.map((group) => (
      <div class="room-group">
        {rooms
          .filter((each) => each.group === group)
          .map(({ path, label, key }) => (
            <a href={path} data-key={key} aria-current={path === room ? "page" : undefined}>
              {label}
            </a>
          ))}
      </div>
    ))}
  </nav>
);

function renderAccount({ viewer }: OwnerOptions): Html {
  const { ownerName: name } = viewer;
  return (
    <>
      {name !== undefined && (
        <span class="who">
          <span class="hidden">Signed in as </span>
          <bdi>{name}</bdi>
        </span>
      )}
      <form class="out" method="post" action="/sign-out">
        {renderCsrfField(viewer)}
        <button class="plain">Sign out</button>
      </form>
    </>
  );
}

const getSearchLabel = (impersonatedGrant: ImpersonatedGrant | undefined): string =>
  impersonatedGrant === undefined ? "Search everything" : "Search what it can read";

export const renderCsrfField = (viewer: Pick<Viewer, "csrfToken">): Html => (
  <input type="hidden" name="csrf_token" value={viewer.csrfToken} />
);

/** The first letter of a name on a tinted square, in place of a logo. */
export const renderLetterMark = (name: string, size?: "small"): Html => {
  const [letter = "?"] = /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase() ?? "";
  const tint = [...name].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 6, 0);
  return (
    <span class={`letter${size === undefined ? "" : " small"} tint-${tint}`} aria-hidden="true">
      {letter}
    </span>
  );
};

export const renderNotice = (title: string, text: string, more: Html = <></>, around: PageOptions = {}): Html =>
  renderPage(
    title,
    <>
      <h1>{title}</h1>
      <p>{text}</p>
      {more}
    </>,
    around,
  );

const getNeededSources = (needs: "reads on" | "is live" | "has a frame" | undefined): string =>
  needs === undefined ? "" : needs === "has a frame" ? "frame-src 'self'; " : "connect-src 'self'; ";

/** `target` is another origin a form may redirect to. `needs` allows requests from scripts, or a frame. */
export function buildPageHeaders(
  target?: string,
  needs?: "reads on" | "is live" | "has a frame",
): Record<string, string> {
  const action = target === undefined ? "'self'" : `'self' ${target}`;
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; ${getNeededSources(needs)}frame-ancestors 'none'; base-uri 'none'; form-action ${action}`,
    // Without a referrer, browsers omit the origin of a form, which could then not be checked.
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
  };
}
