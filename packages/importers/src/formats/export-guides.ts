/** How to get the export of each format, for people who have not done it before. */
export const exportGuides: Readonly<Record<string, string>> = {
  "mail-files":
    "Gmail: takeout.google.com, Mail only; hours to days. Apple Mail: Mailbox, Export Mailbox. Thunderbird: the files of its profile. Single .eml files work too.",
  outlook:
    "Outlook for Windows: File, Open & Export, Import/Export, Export to a file, Outlook Data File (.pst). Minutes to an hour. Close Outlook before you import the file.",
  whatsapp:
    'In the chat: menu, More, Export chat. Choose "with media" to include pictures. One file for each chat, in a minute.',
  chatgpt: "Settings, Data controls, Export data. A link comes by mail within a day.",
  claude: "Settings, Privacy, Export data. A link comes by mail within a day.",
  icalendar:
    "Google: calendar.google.com, Settings, Import & export, Export. Apple: Calendar, File, Export. Outlook: File, Save Calendar. A minute each.",
  vcard:
    "iPhone or Mac: iCloud.com, Contacts, Export vCard. Android: Contacts, Settings, Export. Google: contacts.google.com, Export, vCard.",
  "google-timeline":
    "On the phone. Android: Settings, Location, Location services, Timeline, Export. iPhone: Google Maps, Settings, Personal content, Export Timeline data.",
  "google-activity": "takeout.google.com, My Activity and YouTube. Choose JSON for each. Hours.",
  "google-chat": "takeout.google.com, Google Chat only. Hours.",
  "google-keep": "takeout.google.com, Keep only. Minutes to hours.",
  telegram:
    "Telegram Desktop: Settings, Advanced, Export Telegram data. Choose Machine-readable JSON. Minutes to hours.",
  slack: "An owner of the workspace: Settings, Import/export data, Export. A link comes by mail.",
  "google-voice": "takeout.google.com, Voice only. Hours.",
  discord: "User settings, Data & privacy, Request data, Messages. Up to 30 days.",
  signal: "Settings, Chats, Export chat history. Minutes.",
  "facebook-instagram":
    "Accounts Centre, Your information and permissions, Export your information. Choose JSON. Hours to days.",
  "sms-backup": "Android: the app SMS Backup & Restore, Back up now. Copy the XML files.",
  imessage: "Copy the folder ~/Library/Messages of a Mac, or sms.db of an iPhone's backup.",
  bank: "Your bank's page for statements: download as OFX, QFX, camt.053 or QIF. At once.",
  evernote: "Desktop app: right-click a notebook, Export, ENEX. A minute for each notebook.",
  notion: "Settings, Export all workspace content, HTML or Markdown, with everything. A link comes by mail.",
  "note-folders":
    "Obsidian and Logseq: the folder itself. Bear: File, Back up notes. Ulysses: Export, TextBundle. Day One: File, Export, JSON.",
  "apple-health": "iPhone: Health, your picture, Export all health data. Send the zip file to yourself.",
  tracks: "GPX, TCX and FIT files as they are. Strava: Settings, My account, Request your archive.",
  amazon: "Account, Request your data, Your orders. A link comes within days.",
  bookmarks: "Chrome: Bookmarks, Export. Firefox: Manage bookmarks, Export to HTML. Safari: File, Export.",
  "bank-csv": "Your bank's list of transactions, downloaded as CSV. At once.",
  goodreads: "My books, Import and export. Minutes.",
  letterboxd: "Settings, Data, Export. Minutes.",
  linkedin: "Settings, Data privacy, Get a copy of your data, Connections. Minutes to a day.",
  netflix: "Account, Profile, Viewing activity, Download all. At once.",
  paypal: "Activity, Download, CSV, all transactions. Minutes.",
  readwise: "Export, CSV. At once.",
  reddit: "reddit.com/settings/data-request. Days.",
  spotify: "Account, Privacy settings, Download your data. The extended history takes weeks.",
  kindle: "Connect the Kindle and copy documents/My Clippings.txt. At once.",
  x: "Settings, Your account, Download an archive of your data. A day or two.",
  mastodon: "Preferences, Import and export, Data export, Request your archive. Minutes to hours.",
  bluesky: "Settings, Account, Export my data. At once.",
  photos:
    "The folder of your photos. Google: takeout.google.com, Google Photos. Apple: Photos, File, Export unmodified originals.",
  "browser-history":
    "Chrome: the file History in the profile's folder (chrome://version names it). Firefox: places.sqlite. Safari: ~/Library/Safari/History.db.",
};
