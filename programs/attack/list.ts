import type { Attack } from "./attack.ts";
import { movedBackups } from "./backups/moved.ts";
import { tamperedBackups } from "./backups/tampered.ts";
import { aBusyWriter } from "./busy-writer.ts";
import { activeFiles } from "./console/blobs.ts";
import { forgedForms } from "./console/forms.ts";
import { hostileUploads, linkedPaths } from "./console/uploads.ts";
import { crowd } from "./crowd/crowd.ts";
import { copiedFile, fullDisk, killedBackup, killedMigration, killedRestore } from "./dying-disk.ts";
import { learningOfHiddenChanges } from "./hidden/changes.ts";
import { readingDeletedText } from "./hidden/deleted-text.ts";
import { spellingOutHiddenWords } from "./hidden/words.ts";
import { hostileFiles, hostileSchemas } from "./imports/hostile-files.ts";
import { hostileImports } from "./imports/hostile-memory.ts";
import { killedProcesses } from "./kills.ts";
import { fillingTheDisk, killing, stopping, tampering } from "./losing-the-log.ts";
import { jumpingClock } from "./machine/clock-jumps.ts";
import { slowDisk } from "./machine/slow-disk.ts";
import { misleadingDocuments } from "./oauth/client-documents.ts";
import { guessedDeviceCodes } from "./oauth/device-codes.ts";
import { forgedPasskeys } from "./oauth/passkeys.ts";
import { hangingPatterns } from "./patterns.ts";
import { readOnlyDatabase } from "./read-only-database.ts";
import { readingOn } from "./reading-on.ts";
import { restartedServers } from "./restarts.ts";
import { soak } from "./soak/soak.ts";
import { aStoppedWriter } from "./stopped-writer.ts";
import { killedUnderLoad, stoppedUnderLoad } from "./stops/stops.ts";
import { largeBodies } from "./web/large-bodies.ts";

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
  stoppedUnderLoad,
  killedUnderLoad,
  restartedServers,
  readOnlyDatabase,
  hangingPatterns,
  learningOfHiddenChanges,
  spellingOutHiddenWords,
  readingDeletedText,
  killedBackup,
  killedRestore,
  killedMigration,
  tamperedBackups,
  movedBackups,
  fullDisk,
  copiedFile,
  largeBodies,
  forgedForms,
  activeFiles,
  hostileUploads,
  linkedPaths,
  guessedDeviceCodes,
  forgedPasskeys,
  misleadingDocuments,
  jumpingClock,
  slowDisk,
  hostileFiles,
  hostileSchemas,
  hostileImports,
  soak,
];
