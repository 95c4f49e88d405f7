import type { Importer } from "../core/importer.ts";
import { amazon } from "./amazon/amazon.ts";
import { appleHealth } from "./apple-health/apple-health.ts";
import { bank } from "./bank/bank.ts";
import { bluesky } from "./bluesky/bluesky.ts";
import { bookmarks } from "./bookmarks/bookmarks.ts";
import { browserHistory } from "./browser-history/browser-history.ts";
import { chatgpt } from "./chatgpt/chatgpt.ts";
import { claude } from "./claude/claude.ts";
import { discord } from "./discord/discord.ts";
import { evernote } from "./evernote/evernote.ts";
import { facebookInstagram } from "./facebook-instagram/facebook-instagram.ts";
import { googleActivity } from "./google-activity/google-activity.ts";
import { googleChat } from "./google-chat/google-chat.ts";
import { googleKeep } from "./google-keep/google-keep.ts";
import { googleTimeline } from "./google-timeline/google-timeline.ts";
import { googleVoice } from "./google-voice/google-voice.ts";
import { icalendar } from "./icalendar/icalendar.ts";
import { imessage } from "./imessage/imessage.ts";
import { kindle } from "./kindle/kindle.ts";
import { mail } from "./mail/mail.ts";
import { mastodon } from "./mastodon/mastodon.ts";
import { noteFolders } from "./note-folders/note-folders.ts";
import { notion } from "./notion/notion.ts";
import { outlook } from "./outlook/outlook.ts";
import { photos } from "./photos/photos.ts";
import { loadRecipes } from "./recipes/recipes.ts";
import { signal } from "./signal/signal.ts";
import { slack } from "./slack/slack.ts";
import { smsBackup } from "./sms-backup/sms-backup.ts";
import { spotify } from "./spotify/spotify.ts";
import { telegram } from "./telegram/telegram.ts";
import { tracks } from "./tracks/tracks.ts";
import { vcard } from "./vcard/vcard.ts";
import { whatsapp } from "./whatsapp/whatsapp.ts";
import { x } from "./x/x.ts";

/** All formats. The first that recognizes a file gets it, so the order matters. */
export const formats: readonly Importer[] = [
  mail,
  outlook,
  whatsapp,
  chatgpt,
  claude,
  icalendar,
  vcard,
  googleTimeline,
  googleActivity,
  googleChat,
  googleKeep,
  telegram,
  slack,
  googleVoice,
  discord,
  signal,
  facebookInstagram,
  smsBackup,
  imessage,
  bank,
  evernote,
  notion,
  noteFolders,
  appleHealth,
  tracks,
  amazon,
  bookmarks,
  ...loadRecipes(),
  spotify,
  kindle,
  x,
  mastodon,
  bluesky,
  photos,
  // Last: it inspects every database that no other format recognized.
  browserHistory,
];
