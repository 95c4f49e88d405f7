import { stripMarks } from "./header.ts";

/** WhatsApp's texts for deleted and edited messages, in the phone's language. */

const deleted = [
  "This message was deleted( by admin .*)?",
  "You deleted this message( as admin)?",
  "Diese Nachricht wurde( vom Admin .*)? gelöscht",
  "Du hast diese Nachricht( als Admin)? gelöscht",
  "Se eliminó este mensaje",
  "Este mensaje fue eliminado",
  "Eliminaste este mensaje",
  "Ce message a été supprimé",
  "Vous avez supprimé ce message",
  "Questo messaggio è stato eliminato",
  "Hai eliminato questo messaggio",
  "Mensagem apagada",
  "Esta mensagem foi apagada",
  "Essa mensagem foi apagada",
  "Você apagou esta mensagem",
  "Apagaste esta mensagem",
  "Dit bericht is verwijderd",
  "(U hebt|Je hebt|U heeft) dit bericht verwijderd",
];

const edited = [
  "This message was edited",
  "Diese Nachricht wurde bearbeitet",
  "Se editó este mensaje",
  "Ce message a été modifié",
  "Questo messaggio è stato modificato",
  "Mensagem editada",
  "Dit bericht is bewerkt",
];

const isDeletion = new RegExp(`^(?:${deleted.join("|")})\\.?$`);
const endsEdited = new RegExp(`<(?:${edited.join("|")})\\.?>\\s*$`);

export const isDeleted = (text: string): boolean => isDeletion.test(stripMarks(text).trim());

export const isEdited = (text: string): boolean => endsEdited.test(stripMarks(text));
