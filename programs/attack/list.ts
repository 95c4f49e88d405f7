import type { Attack } from "./attack.ts";
import { aBusyWriter } from "./busy-writer.ts";
import { crowd } from "./crowd.ts";
import { readingDeletedText } from "./deleted-text.ts";
import { copiedFile, damagedBackup, fullDisk, killedBackup, killedMigration, killedRestore } from "./dying-disk.ts";
import { learningOfHiddenChanges } from "./hidden-changes.ts";
import { spellingOutHiddenWords } from "./hidden-words.ts";
import { killedProcesses } from "./kills.ts";
import { fillingTheDisk, killing, stopping, tampering } from "./losing-the-log.ts";
import { hangingPatterns } from "./patterns.ts";
import { readingOn } from "./reading-on.ts";
import { restartedServers } from "./restarts.ts";
import { aStoppedWriter } from "./stopped-writer.ts";

export const attacks: readonly Attack[] = [
  crowd,
  readingOn,
  killing,
  stopping,
  fillingTheDisk,
  tampering,
  aStoppedWriter,
  aBusyWriter,
  killedProcesses,
  restartedServers,
  hangingPatterns,
  learningOfHiddenChanges,
  spellingOutHiddenWords,
  readingDeletedText,
  killedBackup,
  killedRestore,
  killedMigration,
  damagedBackup,
  fullDisk,
  copiedFile,
];
