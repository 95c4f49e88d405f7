import { googleVoice } from "#importers/formats/google-voice/google-voice";
import { type Dice, drawSentence, type Files, type Generator, people } from "../generator.ts";

const formatTime = (n: number): string =>
  new Date(Date.UTC(2024, 0, 1) + n * 60_000).toISOString().replace("Z", "+00:00");

const buildPerson = (n: number): string =>
  n === 0
    ? '<cite class="sender vcard"><a class="tel" href="tel:+1700"><abbr class="fn" title="">Me</abbr></a></cite>'
    : `<cite class="sender vcard"><a class="tel" href="tel:+170${n}"><span class="fn">${people[n] ?? ""}</span></a></cite>`;

const drawMessage = (dice: Dice, n: number, who: number): string =>
  `<div class="message"><abbr class="dt" title="${formatTime(n)}">a day&#8239;PM</abbr>:\n${buildPerson(who)}:\n` +
  `<q>${drawSentence(dice)} &lt;b&gt;<br>${drawSentence(dice)}</q>\n` +
  `${n % 5 === 2 ? `<div><img src="Text ${who}-1-1" alt="Image MMS Attachment" /></div>` : ""}</div>`;

const buildPage = (messages: readonly string[], deleted = "False"): string =>
  `<?xml version="1.0" ?>\n<html><head><title>Me to\nAda</title></head><body><div class="hChatLog hfeed">${messages.join(" ")}</div>` +
  `<div class="tags">Labels:\n<a rel="tag" href="#">Text</a></div><div class="deletedStatusContainer">User Deleted:\n${deleted}</div></body></html>`;

const call = (n: number, kind: string): string =>
  `<html><body><div class="haudio"><span class="fn">${kind} call from\n${people[1]}</span><div class="contributor vcard">` +
  `<a class="tel" href="tel:+1701"><span class="fn">${people[1]}</span></a></div><abbr class="published" title="${formatTime(n)}">x</abbr>` +
  `<span class="full-text">Hi it&#39;s me</span><abbr class="duration" title="PT28S">(00:00:28)</abbr>` +
  `<div class="tags"><a rel="tag" href="#">${kind}</a></div></div></body></html>`;

const drawChat = (dice: Dice, from: number, count: number, who: number): string[] =>
  Array.from({ length: count }, (_, n) => drawMessage(dice, from + n, n % 2 === 0 ? who : 0));

const folder = "Takeout/Voice/Calls";

export const googleVoiceGenerator: Generator = {
  importer: googleVoice,
  pair(dice, size) {
    const kept: Files = {
      [`${folder}/A - Text - 1.html`]: buildPage(drawChat(dice, 0, size, 1)),
      [`${folder}/A - Received - 3.html`]: call(200, "Received"),
      [`${folder}/Text 1-1-1.jpg`]: Buffer.from("jpeg"),
    };
    return {
      older: { ...kept, [`${folder}/B - Text - 2.html`]: buildPage(drawChat(dice, 100, size, 2), "True") },
      newer: { ...kept, [`${folder}/A - Text - 9.html`]: buildPage(drawChat(dice, 900, 4, 1)) },
    };
  },
  hostile: (dice) => ({
    files: {
      "a.html": buildPage([
        drawMessage(dice, 1, 1),
        '<div class="message"><abbr class="dt" title="soon">x</abbr><q>when?</q></div>',
      ]),
      "b.html": buildPage([]),
      "c.html": `${buildPage([drawMessage(dice, 2, 1)])}${"<b>".repeat(5000)}`,
      "d.html": buildPage([
        '<div class="message"><abbr class="dt" title="2024-01-01T00:00:00Z"></abbr><q>nul \u0000 cut',
      ]),
    },
    good: 2,
  }),
  crowd: (dice, n) => ({ path: `${folder}/${n}.html`, content: buildPage(drawChat(dice, n * 500, 200, 1 + (n % 3))) }),
};
