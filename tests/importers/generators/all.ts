import { appleHealthGenerator } from "./activity/apple-health.ts";
import { browserHistoryGenerator } from "./activity/browser-history.ts";
import { googleActivityGenerator } from "./activity/google-activity.ts";
import { googleTimelineGenerator } from "./activity/google-timeline.ts";
import { photosGenerator } from "./activity/photos.ts";
import { spotifyGenerator } from "./activity/spotify.ts";
import { tracksGenerator } from "./activity/tracks.ts";
import type { Generator } from "./generator.ts";
import { chatgptGenerator } from "./messages/chatgpt.ts";
import { claudeGenerator } from "./messages/claude.ts";
import { discordGenerator } from "./messages/discord.ts";
import { googleChatGenerator } from "./messages/google-chat.ts";
import { googleVoiceGenerator } from "./messages/google-voice.ts";
import { imessageGenerator } from "./messages/imessage.ts";
import { mailGenerator } from "./messages/mail.ts";
import { outlookGenerator } from "./messages/outlook.ts";
import { signalGenerator } from "./messages/signal.ts";
import { slackGenerator } from "./messages/slack.ts";
import { smsBackupGenerator } from "./messages/sms-backup.ts";
import { telegramGenerator } from "./messages/telegram.ts";
import { whatsappGenerator } from "./messages/whatsapp.ts";
import { amazonGenerator } from "./money/amazon.ts";
import { bankGenerator } from "./money/bank.ts";
import { bookmarksGenerator } from "./notes/bookmarks.ts";
import { evernoteGenerator } from "./notes/evernote.ts";
import { googleKeepGenerator } from "./notes/google-keep.ts";
import { kindleGenerator } from "./notes/kindle.ts";
import { noteFoldersGenerator } from "./notes/note-folders.ts";
import { notionGenerator } from "./notes/notion.ts";
import { icalendarGenerator } from "./people/icalendar.ts";
import { vcardGenerator } from "./people/vcard.ts";
import { blueskyGenerator } from "./posts/bluesky.ts";
import { facebookInstagramGenerator } from "./posts/facebook-instagram.ts";
import { mastodonGenerator } from "./posts/mastodon.ts";
import { xGenerator } from "./posts/x.ts";
import {
  bankCsvGenerator,
  goodreadsGenerator,
  letterboxdGenerator,
  linkedinGenerator,
  netflixGenerator,
  paypalGenerator,
  readwiseGenerator,
  redditGenerator,
} from "./recipes.ts";

/** One for each format. The suite has a test file for each group, so that they run side by side. */
export const generatorGroups = {
  messages: [
    mailGenerator,
    outlookGenerator,
    chatgptGenerator,
    claudeGenerator,
    whatsappGenerator,
    googleChatGenerator,
    telegramGenerator,
    slackGenerator,
    imessageGenerator,
    googleVoiceGenerator,
    discordGenerator,
    signalGenerator,
    smsBackupGenerator,
  ],
  activity: [
    vcardGenerator,
    icalendarGenerator,
    googleTimelineGenerator,
    googleActivityGenerator,
    appleHealthGenerator,
    tracksGenerator,
    browserHistoryGenerator,
    spotifyGenerator,
    photosGenerator,
  ],
  notes: [
    bankGenerator,
    googleKeepGenerator,
    evernoteGenerator,
    notionGenerator,
    noteFoldersGenerator,
    amazonGenerator,
    bookmarksGenerator,
    kindleGenerator,
  ],
  posts: [
    facebookInstagramGenerator,
    netflixGenerator,
    goodreadsGenerator,
    letterboxdGenerator,
    readwiseGenerator,
    paypalGenerator,
    bankCsvGenerator,
    linkedinGenerator,
    redditGenerator,
    xGenerator,
    mastodonGenerator,
    blueskyGenerator,
  ],
} as const satisfies Readonly<Record<string, readonly Generator[]>>;

export const generators: readonly Generator[] = Object.values(generatorGroups).flat();

/** One of each way to read and to store: the expensive tests take these, and `npm run test:all` takes every format. */
export const variedFormats: ReadonlySet<string> = new Set([
  "mail-files",
  "whatsapp",
  "chatgpt",
  "icalendar",
  "telegram",
  "bank",
  "notion",
  "apple-health",
  "amazon",
  "x",
]);
