/**
 * Stop words by language, folded like the index. Each language has its own list because `die`, `war` and `son` are meaningful in
 * English.
 */

const lists = {
  en: `a about above after again against all also am an and any are arent as at be because been before being below between both but by
    can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt has hasnt have
    havent having he her here hers herself him himself his how i if im in into is isnt it its itself ive just let lets me might more
    most must my myself no nor not of off on once only or other our ours ourselves out over own please same she should shouldnt so some
    such tell than that thats the their theirs them themselves then there these they theyre this those through to too under until up us
    very was wasnt we were werent what whats when where which while who whom whose why will with wont would wouldnt you your youre
    yours yourself yourselves`,
  de: `aber alle allem allen aller alles als am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den denn der
    des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer
    fur habe haben hast hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren im in ins ist ja kann kein keine keinen kann konnte
    mein meine meinem meinen meiner mich mir mit muss nach nicht noch nun nur ob oder ohne sehr seid sein seine seinem seinen sich sie
    sind so soll uber um und uns unser unsere unter vom von vor wann war waren warum was wegen weil welche welchen welcher welches wem
    wen wenn wer werde werden wie wieder wir wird wo wurde wurden zu zum zur`,
  fr: `ai aie as au aux avait avec avez avoir avons c ce cela ces cet cette comment d dans de depuis des donc dont du elle elles en entre
    es est et etaient etait ete etes etre eu eux fait il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre
    nous on ont ou par pas pendant plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sous
    suis sur t ta te tes toi ton tous tout toute toutes tu un une vers vos votre vous y`,
  es: `a al algo ante antes como con contra cual cuales cuando cuanto de del desde donde dos el ella ellas ellos en entre era eran es esa
    ese eso esta estaba estan estas este esto estos fue fueron ha habia han has hasta hay he la las le les lo los mas me mi mis mucho muy
    nada ni no nos nosotros nuestra nuestro o os otra otro para pero por porque pues que quien quienes se sea ser si sin sobre son soy su
    sus tambien tanto te tenia tengo ti tiene tu tus un una uno unos y ya yo`,
  it: `a abbiamo ad agli ai al alla alle allo anche avere aveva c che chi ci come con cosa cui d da dagli dai dal dalla dalle degli dei del
    della delle dello di dove e ed era erano essere gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia mie miei mio
    nei nel nella nelle noi non nostra nostro o per perche piu quale quali quando quanto quella quelle quello questa queste questi questo
    se sei si sia siamo sono sta sua sue sugli sui sul sulla suo suoi te ti tra tu tua tuo tutti tutto un una uno vi voi`,
  pt: `a ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela elas ele eles em entre era essa esse esta estao
    estava este eu foi foram ha isso isto ja la lhe mais mas me meu meus minha minhas muito na nao nas nem no nos nossa nosso o onde os
    ou para pela pelas pelo pelos por porque qual quando quanto que quem sao se sem ser seu seus sua suas tambem te tem tinha tu um uma
    umas uns voce voces`,
  nl: `aan al alle als ben bij daar dan dat de der deze die dit doen door dus een en er had heb hebben heeft het hier hij hoe hun ik in is
    ja je jij jou jouw kan kon kunnen maar me meer men met mij mijn moet na naar niet nog nu of om omdat onder ons onze ook op over te
    toen tot u uit uw van veel voor waar waarom was wat we welke werd wie wij wil wordt worden zal ze zich zij zijn zo zonder`,
  sv: `alla allt att av blev bli blir da de dem den denna deras dess det detta dig din dina dit ditt du efter ej eller en er ett fran for ha
    hade han hans har henne hennes hon honom hos hur i icke in inte jag ju kan kunde man med mellan men mig min mina mitt mot mycket nar
    nagon nagot nu och om oss pa sa samma sedan sig sin sina sitt ska skulle som till under upp ut utan vad var vara vem vi vid vilka
    vilken vilket varfor`,
  da: `ad af alle alt at blev blive bliver da de dem den denne der deres det dette dig din dine dit du efter eller en end er et for fra
    ham han hans har havde have hende hendes her hos hun hvad hvem hver hvilken hvis hvor hvorfor hvornar i ikke ind jeg jer kan kunne man
    mange med meget men mig min mine mit mod ned noget nogen nogle nar og ogsa om op os over pa sig sin sine sit skal skulle som sadan til
    ud under var vi vil ville vor vaere vaeret`,
  no: `alle at av ble bli blir da de dem den denne der deres det dette din dine ditt du eller en er et etter for fra ha hadde ham han hans har
    hennes her hun hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med meg men min mine mitt mot na nar
    noe noen og ogsa om opp oss over pa sa seg selv sin sine sitt skal skulle som til ut var vi vil ville vare vaert`,
  pl: `a aby ale bardzo bez bo by byc byl byla bylo byly co czy dla do gdy gdzie go i ich ile im ja jak jaka jaki jakie jako je jego jej
    jest jestem jeszcze juz kiedy kto ktora ktore ktory lub ma mam mi mnie moj moja moje moze my na nad nas nasz nie nim o od on ona one
    oni oraz po pod przed przez przy sa sie tak tam te tego tej ten to tu ty tylko tym u w we wiec z za ze`,
  cs: `a aby ale ani az bez bude by byl byla bylo byt co do ho i ja jak jako je jeho jejich jen jeste ji jiz jsem jsme jsou k kde kdo kdy
    ktera ktere ktery ma me mi mne moje muj my na nad nas ne nebo o od on ona po pod pred pri pro proc s se si svuj ta tak take tam te
    tedy ten to tu ty u uz v ve z za ze`,
  ro: `a acest aceasta aceste ai al ale am ar are as au ca care ce cel cele cine cu cum cand da dar de din dupa ea ei el este eu fi fost
    fara iar ii il in la le lor lui mai mea meu mi ne nici noi nu o pe pentru prin sa sau se si sunt sub te tu un una unde unei unui va
    voi`,
  fi: `ei en ette ettei han hanen han he heidan ja jo joka jos jossa jota koska kuin kuinka kuka kun me mika mikä milloin mina minun minka
    missa mita mitka mutta myos ne niin nyt oli olen olet olla on onko ovat se sen siella sina sinun sita taman tama tai te tuo vai vain
    voi`,
  hu: `a az azt azok aki ami amit be csak de egy el en es ez ezt fel ha hanem hogy hol honnan hova is itt ki kell le lesz ma meg mert mi
    mikor milyen mint mit most nagyon ne nem o ott pedig s sem te ti ugy van vagy vagyok volt voltak`,
  tr: `acaba ama ancak bana bazi ben bende beni benim bir biz bize bizim bu bunlar bunu cok cunku da daha de degil diye en gibi hangi hem
    hep her hic icin ile ise kadar kim ki mi mu nasil ne neden nerede nereye nicin o olan olarak oldu olur ona onlar onu onun sana sen
    senin siz sizin su ve veya ya zaman`,
  id: `ada adalah aku akan apa apakah bagaimana bahwa dan dari dengan di dia dalam ini itu juga kami kamu kapan karena ke kita mana mereka
    oleh pada saya siapa sudah telah tidak untuk yang`,
  ru: `а без бы был была были было быть в вам вас ведь во вот все всего вы где да для до его ее если есть еще же за и из или им их к как
    какая какие какой когда кого кто ли мне мои мой моя мы на над нам нас наш не него нее нет ни них но о об он она они оно от по под
    почему при с сколько со та так там то того тоже той только том ты у уже чего чем что чтобы эта эти это этого этой этот я`,
  uk: `а або але без би був була були було бути в вам вас ви від він вона вони воно все де до для є ж за з зі і із й його коли ли мене мені
    мій моя ми на над нам нас наш не ні но о об от по під при про с та так там те ти то того у хто це цей ця чи чому що щоб я як яка який
    які`,
  el: `απο αυτα αυτη αυτο αυτοσ για δεν εγω ειμαι ειναι εισαι εμεισ ενα ενασ εσυ εχει εχω η ηταν θα και κατα μασ με μετα μη μια μου να ο
    οι ομωσ οπωσ οταν οτι οχι ποιοσ ποια ποιο ποτε που πωσ σασ σε στη στην στισ στο στον στουσ συ τα τη την τησ τι τισ το τον του τουσ των
    ωσ`,
} as const;

type Language = keyof typeof lists;

/** Stop words that are common English words too, so they do not identify a language by themselves. */
const englishToo = new Set(
  `a ad al all alle am an are as at ate be ben bin but by can car come comment con da dan data den der des die dig din dit do dos du e ego
  en end er era es et eu far for fra had ham han has hat have he her him hon how hun i id ii il im in is it ja je ji jo la las le les li
  lo los lui ma main mais man mans mas me men mi mine mit mot mu my na ne no nor not o of om on one onder op or os ou over pa pan par
  pas per pi plus po pod pour pro qui sa san se sea sin sine sit so son sons sub sue sui sur t ta tam tan te tem ten ti to ton tot tout tu
  u um un under up us va van var ve vi via vid vil was we wen were will y z ai ale apa bana biz bez care ci co cum dont dove due fait far go
  hast hay hem hogy io jest kim more meg mint mir mod most nim noch once sans sei ser sole sous such tai toe toi ty uns vain vor war waren
  warn wars wie wo`.split(/\s+/),
);

/** Letters that English does not have. */
const ownLetters: { readonly [language in Language]?: RegExp } = {
  de: /[äöüß]/iu,
  fr: /[éèêëàâçîïôûùœ]/iu,
  es: /[áéíóúñü¿¡]/iu,
  it: /[àèéìòù]/iu,
  pt: /[ãõçáéíóúâêô]/iu,
  nl: /[ëïé]/iu,
  sv: /[åäö]/iu,
  da: /[æøå]/iu,
  no: /[æøå]/iu,
  pl: /[ąćęłńóśźż]/iu,
  cs: /[áčďéěíňóřšťúůýž]/iu,
  ro: /[ăâîșşțţ]/iu,
  fi: /[äö]/iu,
  hu: /[áéíóöőúüű]/iu,
  tr: /[çğıİöşü]/u,
};

const english: ReadonlySet<string> = parseWordSet(lists.en);
/** Built on first use. */
let others: ReadonlyMap<Language, ReadonlySet<string>> | undefined;

function parseWordSet(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/**
 * The stop words of the language the query is written in: the one whose list contains most of its words. For any language but
 * English, the query must contain a word or letter that English lacks, or several of its stop words and no English ones.
 */
export function selectStopWords(forms: readonly string[], text: string): ReadonlySet<string> {
  others ??= new Map(
    (Object.keys(lists) as Language[]).flatMap((name) =>
      name === "en" ? [] : [[name, parseWordSet(lists[name])] as const],
    ),
  );
  const distinct = [...new Set(forms)];
  let best = english;
  const ofEnglish = distinct.filter((form) => english.has(form)).length;
  let most = ofEnglish;
  for (const [language, words] of others) {
    const said = distinct.filter((form) => words.has(form));
    if (said.length <= most) continue;
    const isAmbiguous = said.every((form) => /^[a-z]$/.test(form) || englishToo.has(form));
    const isSure =
      (said.length >= minCertainWords && ofEnglish === 0) ||
      forms.some((form, i) => completesQuestionWord(forms[i - 1], form, language));
    if (isAmbiguous && !isSure && !ownLetters[language]?.test(text)) continue;
    best = words;
    most = said.length;
  }
  return best;
}

/** This many stop words identify a language even if each is also an English word: "wie hoch war der ...". */
const minCertainWords = 3;

/** Question words and the adjectives that complete them: "how long", "wie hoch". */
const measures: { readonly [language in Language]?: readonly (readonly [asking: string, of: ReadonlySet<string>])[] } =
  {
    en: [
      [
        "how",
        parseWordSet(
          "big deep early expensive far fast heavy high large late long many much often old soon tall thick warm wide",
        ),
      ],
      ["what", parseWordSet("kind sort time")],
    ],
    de: [
      [
        "wie",
        parseWordSet("alt breit dick gross hoch lang lange oft schnell schwer spat teuer tief viel viele warm weit"),
      ],
    ],
  };

/** Whether a word only completes the question word before it, in the given language or in any. */
export const completesQuestionWord = (before: string | undefined, form: string, language?: Language): boolean =>
  (language === undefined ? Object.values(measures).flat() : (measures[language] ?? [])).some(
    ([asking, of]) => before === asking && of.has(form),
  );

export const isEnglish = (stopWords: ReadonlySet<string>): boolean => stopWords === english;
