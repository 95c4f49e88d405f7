import type { Script } from "../script.ts";
import { balcony } from "./balcony.ts";
import { bikeTheft } from "./bike-theft.ts";
import { birthdayParty } from "./birthday-party.ts";
import { boiler } from "./boiler.ts";
import { bookClub } from "./book-club.ts";
import { catSurgery } from "./cat-surgery.ts";
import { grandmother } from "./grandmother.ts";
import { holiday } from "./holiday.ts";
import { jobChange } from "./job-change.ts";
import { piano } from "./piano.ts";
import { roof } from "./roof.ts";
import { roofReport } from "./roof-report.ts";
import { running } from "./running.ts";
import { school } from "./school.ts";
import { taxes } from "./taxes.ts";
import { telescope } from "./telescope.ts";
import { visitFromJapan } from "./visit-from-japan.ts";
import { wedding } from "./wedding.ts";

/** The threads that run through several sources. They are the same whatever the seed. */
export const stories: readonly ((script: Script) => void)[] = [
  boiler,
  holiday,
  school,
  jobChange,
  running,
  birthdayParty,
  catSurgery,
  grandmother,
  visitFromJapan,
  bikeTheft,
  balcony,
  taxes,
  wedding,
  telescope,
  piano,
  bookClub,
  roof,
  roofReport,
];
