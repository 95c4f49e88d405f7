import { labelStream } from "@pdpp/consent/labels";
import { getSearchUrl } from "../../explore/search/search-question.ts";
import { getRecordUrl, getStreamUrl, getTextUrl } from "../../frame/addresses.ts";
import { type Html, renderLetterMark, renderPage } from "../../frame/frame.tsx";
import { createWordMarker } from "../../frame/render/marked-text.tsx";
import { renderBackLink, renderTerm } from "../../frame/render/parts.tsx";
import { formatCount, formatNumber, renderName, renderText } from "../../frame/render/values.tsx";
import type { AttachedFile } from "../attached-files.ts";
import { renderFileChip } from "../file-chips.tsx";
import { getMailHtmlUrl, getMailUrl, type MailMode, mailModes } from "./addresses.ts";
import type { CleanHtml } from "./clean-html.ts";
import { splitAddress } from "./correspondent.ts";
import { matchPictures } from "./inline-pictures.ts";
import { renderMailText } from "./mail-text.tsx";
import { formatLongAgo, getLocalDay, renderExactTime } from "./mail-times.tsx";
import { renderPersonCard } from "./person-card.tsx";
import { renderThreadRows, summarizeThread } from "./thread-rows.tsx";
import type { MailView } from "./view.ts";

const maxLabels = 12;

export function renderMailPage(view: MailView): Html {
  const { q, subject, labels, thread, shape, names, viewer, impersonatedGrant, timeZone } = view;
  const { source, declaration } = shape;
  // Without a subject field, the grant may hide that there is one.
  const title = subject ?? (shape.subject === undefined ? labelStream(declaration) : "No subject");
  return renderPage(
    title,
    <div class="with-rail">
      <div class="mail">
        {q === undefined
          ? renderBackLink(getStreamUrl(source, declaration.name), renderText(names.source(source)))
          : renderBackLink(getSearchUrl({ q }), <>Results for “{renderText(q)}”</>)}
        <h1>{renderText(title)}</h1>
        <div class="mail-facts">
          <p class="soft">{summarizeThread(view)}</p>
          <p class="tags">
            {labels.slice(0, maxLabels).map((label) => (
              <span class="tag">{renderName(label, 60)}</span>
            ))}
          </p>
        </div>
        {renderThreadRows(thread.earlier, view)}
        <article class="opened-mail" id="mail" aria-label="Mail">
          {renderHeader(view)}
          {view.files.length > 0 && <div class="chips">{view.files.map(renderFileChip)}</div>}
          {renderContent(view)}
          {renderModes(view)}
        </article>
        {renderThreadRows(thread.later, view)}
      </div>
      {renderRail(view)}
    </div>,
    {
      owner: { room: "/explore", viewer, impersonatedGrant, ...(q === undefined ? {} : { q }) },
      isWide: true,
      timeZone,
    },
  );
}

function renderHeader({ sender, address, recipients, copies, at, timeZone, now, isOwn }: MailView): Html {
  const name = sender ?? address;
  return (
    <header class="mail-header">
      {renderLetterMark(name ?? "?")}
      <div class="people-lines">
        <p class="sender">
          <strong>{name === undefined ? "Sender not shown" : renderText(name)}</strong>{" "}
          {address !== undefined && address !== name && <span class="soft">{renderText(address)}</span>}
          {isOwn && <span class="soft"> (you)</span>}
        </p>
        {renderPeople("To", recipients)}
        {renderPeople("Cc", copies)}
      </div>
      {at !== undefined && (
        <p class="sent">
          {renderExactTime(at, timeZone)}
          <span class="soft">{formatLongAgo(at, now)}</span>
        </p>
      )}
    </header>
  );
}

const maxPeople = 8;

function renderPeople(label: string, people: readonly string[]): Html {
  if (people.length === 0) return <></>;
  const more = people.length - maxPeople;
  return (
    <p class="soft-line">
      <span class="soft">{label}</span>{" "}
      {people.slice(0, maxPeople).map((person, i) => {
        const { name, address } = splitAddress(person);
        return (
          <>
            {i > 0 && ", "}
            {renderName(name)} {address !== "" && <span class="soft">{renderText(address)}</span>}
          </>
        );
      })}
      {more > 0 && ` and ${formatNumber(more)} more`}
    </p>
  );
}

function renderContent(view: MailView): Html {
  const { mode, html, id, text, words, shape } = view;
  if (mode === "formatted" && html !== undefined) {
    const { textChars, pictureCount } = html.clean;
    if (textChars === 0 && pictureCount === 0) return <p class="soft">The formatted text is empty.</p>;
    return (
      <>
        <iframe
          class={textChars <= maxShortChars && pictureCount === 0 ? "mail-frame short" : "mail-frame"}
          sandbox=""
          src={getMailHtmlUrl(id)}
          title="Formatted mail"
          loading="eager"
        ></iframe>
        {renderLinks(html.clean)}
      </>
    );
  }
  if (mode === "source" && html !== undefined)
    return (
      <pre class="mail-source" tabindex={0} dir="auto">
        {html.source.slice(0, maxSourceChars).toWellFormed()}
        {html.source.length > maxSourceChars && "…"}
      </pre>
    );
  if (text === undefined || text.window.total_chars === 0) return <p class="soft">No text.</p>;
  const { end_chars, total_chars } = text.window;
  return (
    <>
      {renderMailText(text.window.text, createWordMarker(words), words)}
      {end_chars < total_chars && shape.body !== undefined && (
        <p class="pages">
          <a rel="next" href={getTextUrl({ id, field: shape.body, offset: end_chars })}>
            Continue reading
          </a>{" "}
          <span class="soft">
            {formatNumber(end_chars)} of {formatNumber(total_chars)} characters
          </span>
        </p>
      )}
    </>
  );
}

const maxSourceChars = 50_000;

/** The page can't know the height of a frame without permissions. This much text fits into a low one. */
const maxShortChars = 400;

/** Links of the formatted mail, which the frame can't open. */
const renderLinks = ({ links }: CleanHtml): Html =>
  links.length === 0 ? (
    <></>
  ) : (
    <details class="mail-links">
      <summary>{formatCount(links.length, "link")} in this mail</summary>
      <ul>
        {links.map(({ href, text }) => (
          <li>
            <a href={href} rel="noopener noreferrer nofollow" target="_blank">
              {renderText(text.trim().slice(0, 120).toWellFormed() || href.slice(0, 120).toWellFormed())}
            </a>{" "}
            <span class="soft">{renderText(getHost(href))}</span>
          </li>
        ))}
      </ul>
    </details>
  );

const getHost = (href: string): string => (URL.canParse(href) ? new URL(href).host : "");

const modeLabels: Readonly<Record<MailMode, string>> = {
  formatted: "Formatted",
  plain: "Plain text",
  source: "HTML source",
};

function renderModes({ id, q, mode, html, files }: MailView): Html {
  if (html === undefined) return <></>;
  return (
    <div class="mail-modes">
      <nav class="views" aria-label="Show as">
        {mailModes.map((each) => (
          <a href={`${getMailUrl(id, q, each)}#mail`} aria-current={each === mode ? "page" : undefined}>
            {modeLabels[each]}
          </a>
        ))}
      </nav>
      <span class="soft">{describeBlocked(html.clean, files)}</span>
    </div>
  );
}

function describeBlocked(
  { remoteImages, attachedImages, hasActiveParts }: CleanHtml,
  files: readonly AttachedFile[],
): string {
  const missing = new Set(attachedImages).size - matchPictures(attachedImages, files).size;
  const images =
    remoteImages === 0
      ? []
      : [`${formatCount(remoteImages, "remote image")} ${remoteImages === 1 ? "was" : "were"} not loaded.`];
  return [
    ...images,
    ...(missing === 0
      ? []
      : [`${formatCount(missing, "picture")} of the text ${missing === 1 ? "is" : "are"} missing.`]),
    ...(hasActiveParts ? ["Scripts, forms and embedded pages were removed."] : []),
  ].join(" ");
}

function renderRail(view: MailView): Html {
  const { id, at, timeZone, sender, address, impersonatedGrant, shape } = view;
  const day = at === undefined ? undefined : getLocalDay(at, timeZone);
  const from = address ?? sender;
  return (
    <aside class="rail" aria-label="About this mail">
      <h2>Related</h2>
      <ul class="related">
        {day !== undefined && (
          <li>
            <a href={`day/${day}`}>Everything on this day</a>
          </li>
        )}
        {from !== undefined && (
          <li>
            <a href={getSearchUrl({ q: `"${from.replaceAll('"', " ")}"` })}>
              Everything that mentions {renderText(from)}
            </a>
          </li>
        )}
      </ul>
      {renderPersonCard(view)}
      {view.readers}
      <details class="about-it">
        <summary>Technical details</summary>
        <dl>{renderTerm("Handle", <code>{id}</code>)}</dl>
        <p>
          <a href={getRecordUrl(id)}>All fields of this mail</a>
        </p>
        <p>
          <a href={getStreamUrl(shape.source, shape.declaration.name)}>Table</a>
        </p>
        {impersonatedGrant !== undefined && (
          <p>
            <a href={`${getRecordUrl(id)}#tool-output`}>What the agent receives</a>
          </p>
        )}
      </details>
    </aside>
  );
}
