import { stemmer } from "stemmer";

/** Irregular English words, and rules for British and American spelling. */

const words = `
goose geese,mouse mice,louse lice,child children,man men,woman women,foot feet,tooth teeth,ox oxen,knife knives,wife wives,leaf leaves,
half halves,shelf shelves,wolf wolves,thief thieves,loaf loaves,calf calves,elf elves,scarf scarves,hoof hooves,life lives,self selves,
penny pence,die dice,analysis analyses,crisis crises,basis bases,thesis theses,diagnosis diagnoses,hypothesis hypotheses,synthesis
syntheses,prognosis prognoses,emphasis emphases,oasis oases,axis axes,criterion criteria,phenomenon phenomena,medium media,bacterium
bacteria,curriculum curricula,memorandum memoranda,cactus cacti,fungus fungi,alumnus alumni,syllabus syllabi,nucleus nuclei,radius
radii,stimulus stimuli,appendix appendices,index indices,matrix matrices,vertex vertices,
grey gray,tyre tire,programme program,aluminium aluminum,jewellery jewelry,mum mom,pyjamas pajamas,plough plow,sceptic skeptic,kerb
curb,draught draft,enrol enroll,fulfil fulfill,skilful skillful,ageing aging,judgement judgment,acknowledgement acknowledgment,cosy
cozy,moustache mustache,doughnut donut,practise practice,whisky whiskey,yoghurt yogurt,omelette omelet,artefact artifact,maths
math,manoeuvre maneuver,paediatric pediatric,anaesthetic anesthetic,anaesthesia anesthesia,orthopaedic orthopedic,oestrogen
estrogen,encyclopaedia encyclopedia,gynaecologist gynecologist,leukaemia leukemia,anaemia anemia,haemorrhage hemorrhage,diarrhoea
diarrhea,foetus fetus,cheque check`;

/** The infinitive comes first: its regular forms match too. */
const verbs = `
arise arose arisen,awake awoke awoken,bear bore borne,beat beaten,become became,begin began begun,bend bent,bind bound,bite bit bitten,
bleed bled,blow blew blown,break broke broken,breed bred,bring brought,build built,burn burnt,buy bought,catch caught,choose chose chosen,
cling clung,come came,creep crept,deal dealt,dig dug,do did done,draw drew drawn,dream dreamt,drink drank drunk,drive drove driven,eat ate
eaten,fall fell fallen,feed fed,feel felt,fight fought,find found,flee fled,fly flew flown,forbid forbade forbidden,forget forgot
forgotten,forgive forgave forgiven,freeze froze frozen,get got gotten,give gave given,go went gone,grind ground,grow grew grown,hang
hung,have had,hear heard,hide hid hidden,hold held,keep kept,kneel knelt,know knew known,lay laid,lead led,lean leant,leap leapt,learn
learnt,leave left,lend lent,light lit,lose lost,make made,mean meant,meet met,mistake mistook mistaken,overcome overcame,pay paid,ride
rode ridden,ring rang rung,rise rose risen,run ran,say said,see saw seen,seek sought,sell sold,send sent,sew sewn,shake shook shaken,shine
shone,shoot shot,show shown,shrink shrank shrunk,sing sang sung,sink sank sunk,sit sat,sleep slept,slide slid,smell smelt,speak spoke
spoken,spend spent,spill spilt,spin spun,spoil spoilt,stand stood,steal stole stolen,stick stuck,sting stung,strike struck stricken,swear
swore sworn,sweep swept,swell swollen,swim swam swum,swing swung,take took taken,teach taught,tear tore torn,tell told,think
thought,throw threw thrown,understand understood,wake woke woken,wear wore worn,weave wove woven,weep wept,win won,wind wound,withdraw
withdrew withdrawn,write wrote written`;

const parseGroups = (list: string): string[][] => list.split(",").map((group) => group.trim().split(/\s+/));

interface Irregular {
  readonly words: ReadonlyMap<string, readonly string[]>;
  readonly verbs: ReadonlyMap<string, readonly string[]>;
  /** Verbs by the stem of their regular forms. */
  readonly stems: ReadonlyMap<string, readonly string[]>;
}
let known: Irregular | undefined;

const indexByForm = (groups: readonly (readonly string[])[]) =>
  new Map(groups.flatMap((group) => group.map((form) => [form, group] as const)));

/** The irregular forms of a word, and the infinitive if it is a verb. */
export function findIrregularForms(form: string, stem: string): { forms: readonly string[]; verb: string | undefined } {
  known ??= {
    words: indexByForm(parseGroups(words)),
    verbs: indexByForm(parseGroups(verbs)),
    stems: new Map(parseGroups(verbs).map((group) => [stemmer(group[0]!), group])),
  };
  const verb = known.verbs.get(form) ?? known.stems.get(stem);
  return { forms: [...(known.words.get(form) ?? []), ...(verb ?? [])], verb: verb?.[0] };
}

const rules: readonly (readonly [RegExp, string])[] = [
  [/^(\w{2,})our/, "$1or"],
  [/^(\w{2,}[^aeiou])or(?=$|s$|ed$|ing$|able$|ful$|ite$|ites$|less$|hood)/, "$1our"],
  [/^(\w{3,})is(?=(?:e|ed|es|ing|ation|ations|er|ers)$)/, "$1iz"],
  [/^(\w{3,})iz(?=(?:e|ed|es|ing|ation|ations|er|ers)$)/, "$1is"],
  [/^(\w{2,})ys(?=(?:e|ed|es|ing|er|ers)$)/, "$1yz"],
  [/^(\w{2,})yz(?=(?:e|ed|es|ing|er|ers)$)/, "$1ys"],
  [/^(\w{4,})ogue(s)?$/, "$1og$2"],
  [/^(\w{4,})og(s)?$/, "$1ogue$2"],
  [/^(\w{3,}[aeiou])ll(?=(?:ed|ing|er|ers|or|ors)$)/, "$1l"],
  [/^(\w{3,}[aeiou])l(?=(?:ed|ing|er|ers|or|ors)$)/, "$1ll"],
  [/^(\w{3,})enc(?=(?:e|es|ed|ing)$)/, "$1ens"],
  [/^(\w{3,})ens(?=(?:e|es|ed|ing)$)/, "$1enc"],
];

/** theatre and theater, which do not inflect by the rules above. */
const erRules: typeof rules = [
  [/^(\w{2,}[bt])re(s|d)?$/, "$1er$2"],
  [/^(\w{2,}[bt])re$/, "$1ers"],
  [/^(\w{2,}[bt])er(s)?$/, "$1re$2"],
  [/^(\w{2,}[bt])ers$/, "$1re"],
  [/^(\w{2,}[bt])ered$/, "$1red"],
  [/^(\w{2,}[bt])red$/, "$1ered"],
];
/** Words that are spelled -ise in American English too. */
const alwaysIse =
  /^(?:advert|comprom|enterpr|exerc|expert|franch|improv|merchand|otherw|likew|parad|prec|prem|prom|superv|surpr|telev)is/;

/** The American spelling of a British word and vice versa. Some results are not words; they match nothing. */
export function listOtherSpellings(form: string): { roots: string[]; alone: string[] } {
  if (!/^[a-z]{5,}$/.test(form) || alwaysIse.test(form)) return { roots: [], alone: [] };
  const changed = (list: typeof rules) =>
    list.flatMap(([pattern, replacement]) => {
      const other = form.replace(pattern, replacement);
      return other === form ? [] : [other];
    });
  return { roots: changed(rules), alone: changed(erRules) };
}
