const unspaced =
  /(?!\p{Nd})[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー々\uff70]/u;

/** Whether a text contains characters of a script that is written without spaces. */
export const isUnspaced = (text: string): boolean => unspaced.test(text);
