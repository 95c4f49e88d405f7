/**
 * Inflectional endings by language, folded like the index. A vault mixes languages and a word does not name its own, so all
 * endings of a script are tried. An ending is listed only if it does not merge two different English words. Two forms are the
 * same word if they share a base and their endings are in the same list.
 */

export interface Endings {
  readonly minBaseLength: number;
  /** Interchangeable with each other and with weak endings; `""` means no ending. */
  readonly strong: readonly string[];
  /** Interchangeable with strong endings only; among themselves they would match too many unrelated words. */
  readonly weak: readonly string[];
  /** The shared base has to end like this. */
  readonly after: RegExp | undefined;
}

/** One list per line: `minBaseLength strong... | weak... < after`. A hyphen means no ending. */
function parseEndings(lines: string): readonly Endings[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [endings, after] = line.trim().split(" < ");
      const [first, weak] = endings!.split(" | ");
      const [minBaseLength, ...strong] = first!.split(" ");
      const plain = (list: readonly string[]) => list.map((ending) => (ending === "-" ? "" : ending));
      return {
        minBaseLength: Number(minBaseLength),
        strong: plain(strong),
        weak: plain(weak?.split(" ") ?? []),
        after: after === undefined ? undefined : new RegExp(`(?:${after})$`),
      };
    });
}

export const latinEndings = parseEndings(`
  4 - e en | es em i u
  4 - n < e|er|el
  4 e en er em es
  4 en te ten | e t st et est end
  4 in innen
  4 er ern ers erin erinnen
  3 nis nisse nissen nisses
  4 - je jes tje tjes
  3 heid heden
  3 s zen
  3 f ven
  4 - s es
  3 - x < eau|eu|ou
  3 al aux | ale ales
  4 eux euse euses
  3 if ive ifs ives
  3 teur teurs trice trices
  4 eur eurs euse euses
  4 er ez ait aient ais iez era erai eront erait ee ees | e es ent
  4 ir issons issez issent ira | is it i ie ies
  4 re ez | u ue ent
  4 o os
  4 a as
  5 o os a as
  2 z ces
  4 ar amos aba aban ado ada ados adas ando ara aran aste aron ou ei ava avam aram | a o as an
  4 er ir ido ida idos idas iendo ian iamos ieron imos emos | e es en
  2 ao oes aos aes
  3 al ais
  3 el eis
  4 m ns
  4 o i
  4 a e
  4 e i
  4 are ato ata ati ando ava avano iamo ano | ate
  4 ere uto uta uti endo eva | ute
  4 ire ito ita iti endo iva | ite
  3 co chi
  3 ca che
  3 go ghi
  3 ga ghe
  4 ul ului uri urile ii | - e a i lor le ei ea
  6 - et
  4 e en er erne erna
  5 e et
  4 or orna | a an
  4 ar arna | - en
  4 erna erne ene | - er e en
  4 ade ar | a at
  4 ssa sta lla lta lle ksi issa ista illa ilta ille iksi | - n a ta t tta in en an on un na ja jen i ia
  4 nki ngin ngissa ngista ngille ngilla nkia nkiin
  3 ban ben nak nek hoz hez | -
  4 ban ben bol rol nak nek val vel hoz hez | - ra re ba be on en ok ek ak k t at et ot ja je i
  4 lar ler lari leri larin lerin larda lerde lardan lerden nin nun dan den tan ten | - i u in un a e da de ta te si su ni nu yi yu ya ye im
  4 si su sini sinin | - i
  4 ami ach owi iem ovi om ech ego eho emu ych ymi ym ej ou | - a y e i u o ie em ow ov
  4 a | y i u ie ej
  3 ka ce ky ku kou kach
  3 ha ze hy hu hou
  3 nya lah kah kan | -
`);

export const cyrillicEndings = parseEndings(`
  3 - а ы у е ой ою и ам ами ах ов ев ей ом ем о я ю ям ями ях ь ью і ів ї ею єю єм
  3 ия ии ию ией ие ием иям иями иях ий
  3 ый ий ой ая яя ое ее ые ие ого его ому ему ым им ую юю ых их ыми ими ом ем ей а е і ої ою у єю є
  3 ить ил ила ило или ит ишь им ите ят ат ю у ен ена ено ены енный енная енные ить ив ила ило или
  3 ать ал ала ало али ает аю аешь ают ай айте ан ана ано аны анный анная анные ав ати аємо ають
  3 ять ял яла яло яли яет яю яют ян яна
  3 еть ел ела ело ели еет ею еют іти ів іла
  3 ти у ет ешь ем ут л ла ло ли
  3 уть ул ула уло ули у ет ут ешь
  3 - ът та то те ите ата ото
  2 ів єва єву єві євом ова ові ову овом ева
  2 ок ка ку ком ке ки ков кам ками
`);

export const greekEndings = parseEndings(`
  3 - ο οσ ου ον οι ων ουσ ε α ασ εσ η ησ ι ια ιασ ιου ιων ιο μα ματα ματοσ ματων εισ εωσ εων υ υσ
  3 ω εισ ει ουμε ετε ουν ουνε ησα ησε ησω ησει θηκε
`);

/** Arabic and Persian. */
export const arabicEndings = parseEndings(`
  3 - ه ات ين ون ان ها هم ي نا ك كم هن تين تان يه ت تم ها هاي هايي اي
`);

export const hebrewEndings = parseEndings(`
  3 - ים ות ה ת י יים ית יות נו ך כם
  2 ה ות ת
`);

export const indicEndings = parseEndings(`
  2 - ा ी े ें ों ो ि ियां ियाँ ियों ाओं ाएं ाएँ ां ीं
`);

/** English words and names that look like inflected forms of another word in some language. Their endings are ignored. */
const exemptWordList = `
attendee bathe cape caste cello cellar chore closet collage collagen clothe collar corpse course coursera curse dense dollar eastern employee employees envelope
extra familiar forte globe gluten grade grammar grime gripe haven hearse indie interviewee lapse linear linen listen listened listens
local locale loathe lunge matte morale northern opera parade paste pasta peculiar persona pillar plane planet planes planed plate please
plume pollen prime purse quite random range rabbi referee scalar scale scare scheme schema schemes scholar shade shine similar singe single slate slide
slime slope snipe southern spare spate spine spinach spite stage stare stripe teethe tempo tense theme themes these trainee trainees
tripe twine urbane western where white write
andrea christiane daniela daniele denise josephine louise maria marie mario martina martine michele nicole paula pascale roberta simone
`;
const exemptWords: ReadonlySet<string> = new Set(exemptWordList.trim().split(/\s+/));

export const isExempt = (form: string): boolean =>
  exemptWords.has(form) || (form.endsWith("s") && exemptWords.has(form.slice(0, -1)));
