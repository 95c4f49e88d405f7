/** Words that say nothing about what a question is about, in the languages most vaults hold. Folded, as the index has them. */
const lists = `
a about above after again against all also am an and any are arent as at be because been before being below between both but by can
cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had hadnt has hasnt have havent
having he her here hers herself him himself his how i id if ill im in into is isnt it its itself ive just let lets me might more most
must my myself no nor not of off on once only or other our ours ourselves out over own please same she should shouldnt so some such
tell than that thats the their theirs them themselves then there these they theyre this those through to too under until up us very
was wasnt we were werent what whats when where which while who whom whose why will with wont would wouldnt you your youre yours
yourself yourselves
aber als am an auch auf aus bei bin bis bist da das dass dein dem den der des die dir doch du ein eine einem einen einer eines er es
euch fur habe haben hat hatte ich ihm ihn ihr im in ist ja kann kein keine mein meine mich mir mit nach nicht noch nur ob oder seid
sein seine sich sie sind so uber um und uns unser vom von vor wann war waren was wenn wer werden wie wir wird wo zu zum zur
au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur lui ma mais me mes moi mon ne nos notre nous ou par
pas pour qu que qui sa se ses son sont sur ta te tes toi ton tu un une vos votre vous
al como con cual cuando de del donde el ella ellos en era es esta este esto fue ha han la las lo los mas mi muy no nos o para pero
por porque que quien se si sin sobre son su sus te tu un una y yo
`;

const stopWords: ReadonlySet<string> = new Set(lists.split(/\s+/).filter((word) => word !== ""));

export const isStopWord = (form: string): boolean => stopWords.has(form);
