import type { Generator } from "#importers/core/generating";
import { amazonGenerator } from "#importers/formats/amazon/generate";
import { appleHealthGenerator } from "#importers/formats/apple-health/generate";
import { bankGenerator } from "#importers/formats/bank/generate";
import { blueskyGenerator } from "#importers/formats/bluesky/generate";
import { bookmarksGenerator } from "#importers/formats/bookmarks/generate";
import { browserHistoryGenerator } from "#importers/formats/browser-history/generate";
import { chatgptGenerator } from "#importers/formats/chatgpt/generate";
import { claudeGenerator } from "#importers/formats/claude/generate";
import { discordGenerator } from "#importers/formats/discord/generate";
import { evernoteGenerator } from "#importers/formats/evernote/generate";
import { facebookInstagramGenerator } from "#importers/formats/facebook-instagram/generate";
import { googleActivityGenerator } from "#importers/formats/google-activity/generate";
import { googleChatGenerator } from "#importers/formats/google-chat/generate";
import { googleKeepGenerator } from "#importers/formats/google-keep/generate";
import { googleTimelineGenerator } from "#importers/formats/google-timeline/generate";
import { googleVoiceGenerator } from "#importers/formats/google-voice/generate";
import { icalendarGenerator } from "#importers/formats/icalendar/generate";
import { imessageGenerator } from "#importers/formats/imessage/generate";
import { kindleGenerator } from "#importers/formats/kindle/generate";
import { mailGenerator } from "#importers/formats/mail/generate";
import { mastodonGenerator } from "#importers/formats/mastodon/generate";
import { noteFoldersGenerator } from "#importers/formats/note-folders/generate";
import { notionGenerator } from "#importers/formats/notion/generate";
import { photosGenerator } from "#importers/formats/photos/generate";
import {
  bankCsvGenerator,
  goodreadsGenerator,
  letterboxdGenerator,
  linkedinGenerator,
  netflixGenerator,
  paypalGenerator,
  readwiseGenerator,
  redditGenerator,
} from "#importers/formats/recipes/generate";
import { signalGenerator } from "#importers/formats/signal/generate";
import { slackGenerator } from "#importers/formats/slack/generate";
import { smsBackupGenerator } from "#importers/formats/sms-backup/generate";
import { spotifyGenerator } from "#importers/formats/spotify/generate";
import { telegramGenerator } from "#importers/formats/telegram/generate";
import { tracksGenerator } from "#importers/formats/tracks/generate";
import { vcardGenerator } from "#importers/formats/vcard/generate";
import { whatsappGenerator } from "#importers/formats/whatsapp/generate";
import { xGenerator } from "#importers/formats/x/generate";

/** One for each format. */
export const generators: readonly Generator[] = [
  mailGenerator,
  chatgptGenerator,
  claudeGenerator,
  whatsappGenerator,
  vcardGenerator,
  icalendarGenerator,
  googleChatGenerator,
  telegramGenerator,
  slackGenerator,
  imessageGenerator,
  googleVoiceGenerator,
  discordGenerator,
  signalGenerator,
  facebookInstagramGenerator,
  smsBackupGenerator,
  googleTimelineGenerator,
  googleActivityGenerator,
  bankGenerator,
  googleKeepGenerator,
  evernoteGenerator,
  notionGenerator,
  noteFoldersGenerator,
  appleHealthGenerator,
  tracksGenerator,
  amazonGenerator,
  bookmarksGenerator,
  browserHistoryGenerator,
  netflixGenerator,
  goodreadsGenerator,
  letterboxdGenerator,
  readwiseGenerator,
  paypalGenerator,
  bankCsvGenerator,
  linkedinGenerator,
  spotifyGenerator,
  kindleGenerator,
  redditGenerator,
  xGenerator,
  mastodonGenerator,
  blueskyGenerator,
  photosGenerator,
];
