import type { JsonObject } from "@pdpp/contract/declaration";
import type { Measurable, Measure } from "@pdpp/evidence/sizes/measure";
import { measureTexts, type Size } from "@pdpp/evidence/sizes/size";
import { layOutExpanded, layOutItem } from "./card.ts";
import { layOutDocument, layOutLink, stringifyDocument } from "./document.ts";
import { layOutGroup } from "./group.ts";
import { layOutHit, layOutSource } from "./hit.ts";
import { measurePart } from "./part.ts";
import { measureWindowFrame } from "./window-frame.ts";

/** Measures parts of answers as our tools lay them out. */
export const measureToolResult: Measure = (part) => {
  switch (part.kind) {
    case "record":
      return measurePart(layOutItem(part.item, part.shared));
    case "hit":
      return measureHit(part);
    case "group":
      return measurePart(layOutGroup(part.group));
    case "document":
      return measureDocument(layOutDocument(part.document));
    case "expanded":
      return measureDocument(layOutExpanded(part.expanded).object as JsonObject);
    case "link":
      return measureLink(layOutLink(part.link));
    case "window":
      return measureWindowFrame(part.subject, part.isBrief);
  }
};

function measureHit({ hit, source }: Extract<Measurable, { kind: "hit" }>): Size {
  const { lines, objects } = layOutHit(hit);
  if (source === undefined) return measurePart({ lines, objects });
  const named = layOutSource(source);
  return measurePart({ lines: [...lines, ...named.lines], objects: [...objects, ...named.objects] });
}

/** A document is the same JSON in both copies of a result. */
const measureDocument = (object: JsonObject): Size =>
  measurePart({ lines: [stringifyDocument(object)], objects: [object] });

const measureLink = (object: JsonObject): Size => {
  const json = JSON.stringify(object);
  return { ...measureTexts(json, json), chars: 2 * json.length };
};
