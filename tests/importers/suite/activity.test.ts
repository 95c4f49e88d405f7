import { generatorGroups } from "../generators/all.ts";
import { testImporters } from "./every-importer.ts";

testImporters(generatorGroups.activity);
