import { hills } from "../pictures.ts";
import type { Script } from "../script.ts";

export function visitFromJapan(s: Script): void {
  s.chat(
    "haruka",
    "2026-06-21 13:20",
    `
haruka> アダ、元気？大ニュース！10月に会議でヨーロッパに行くことになりました✈️
ada> えっ、本当に？！来てください！！ when exactly? you stay with us, no discussion
haruka> 10月10日〜17日。会議は月・火だけ。あとは自由です
ada> Mila will teach you to catch crabs. カニは夏だけかな…
haruka> カニは食べるほうが得意です🦀 ::😂 ada`,
  );
  const plan = s.mail({
    box: "private",
    at: "2026-08-30 06:14",
    from: "haruka",
    subject: "10月の訪問について（フライト情報）",
    labels: ["travel"],
    body: `アダ様、ヨナスさん、ミラちゃん

残暑お見舞い申し上げます。航空券が取れましたのでお知らせします。

・10月10日（土）HZ 218便　リンデンハーフェン着 17:40
・10月17日（土）HZ 219便　リンデンハーフェン発 12:05

会議は12日（月）と13日（火）、会場はコンベンションセンターです。それ以外は皆さんと過ごせたら嬉しいです。ミラちゃんに抹茶のお菓子と、小さな顕微鏡のプレパラートを持って行きますね。アレルギーはありますか？

お世話になります。どうぞよろしくお願いいたします。`,
  });
  s.reply(
    plan,
    "2026-08-31 20:45",
    "ada",
    `遥へ

ありがとう！土曜日に空港まで迎えに行きます。アレルギーはありません（友だちのJunoだけナッツがだめです）。猫のビスケットは大丈夫？毛がたくさん抜けます…

I ordered a real futon so that you don't have to share the sofa with her. Jonas is planning a Sunday in the dunes. We can't wait.

Ada`,
  );
  s.order({
    id: "HM-31550",
    shop: "Heimelig",
    at: "2026-09-12 15:31",
    items: [
      ["Futon mattress 90 x 200", "furniture", 1, 16900],
      ["Pillow, buckwheat", "furniture", 1, 2950],
      ["Bed linen, indigo, 135 x 200", "household", 1, 4490, { colour: "indigo" }],
    ],
    shipping: 990,
    delivered: "2026-09-17 13:20",
  });
  s.order({
    id: "UJ-2026-0711",
    shop: "Uji no Kaze Tea",
    at: "2026-05-02 08:05",
    currency: "JPY",
    items: [
      ["Matcha, ceremonial grade, 40 g", "groceries", 2, 240000],
      ["Bamboo whisk", "household", 1, 180000],
    ],
    shipping: 20000,
    delivered: "2026-05-19 15:45",
    note: "Amounts in yen.",
  });
  s.mail({
    box: "private",
    at: "2026-10-10 14:02",
    from: "Hozora Air <info@hozora-air.example.com>",
    subject: "HZ 218: new arrival time 19:05",
    labels: ["travel"],
    body: `Dear passenger contact,

flight HZ 218 of 10 October 2026 is delayed. New arrival in Lindenhafen: 19:05 (scheduled 17:40). We apologise for the wait.

Hozora Air`,
  });
  s.chat(
    "haruka",
    "2026-10-10 14:10",
    `
ada> your flight is late, 19:05 now. we'll be there, Mila has a sign 🪧
haruka> 機内でWi-Fi使えました！すみません、85分遅れです🙇‍♀️
ada> 大丈夫！soup is on the stove
@+7 11:12
haruka> 搭乗口にいます。一週間、本当にありがとう。ビスケットの毛がコートに…お土産にします😹
ada> また来てね。次は私たちが金沢に行く番！ ::❤️ haruka`,
  );
  s.event({
    title: "Pick up Haruka, HZ 218 (17:40 → 19:05!)",
    start: "2026-10-10 19:05",
    length: 60,
    location: "Airport, arrivals B",
    guests: ["jonas", "mila"],
    made: "2026-08-31 20:50",
    description: "Delayed by 85 minutes. Mila brings the sign.",
  });
  s.event({
    title: "Haruka visits 🍵",
    start: "2026-10-10",
    length: 8,
    allDay: true,
    location: "home",
    made: "2026-08-31 20:48",
  });
  s.event({
    title: "Haruka: conference",
    start: "2026-10-12 09:00",
    length: 480,
    location: "Convention Centre",
    made: "2026-08-31 20:49",
  });
  s.event({
    title: "Dunes with Haruka",
    start: "2026-10-11 10:30",
    length: 300,
    location: "Hohe Düne",
    guests: ["jonas", "mila", "haruka"],
    made: "2026-10-01 20:30",
  });
  s.event({
    title: "Haruka's flight home HZ 219",
    start: "2026-10-17 12:05",
    length: 60,
    location: "Airport",
    made: "2026-08-31 20:51",
  });
  s.talk(
    "2026-10-03 20:18",
    "Japanese phrases for hosting a friend",
    ["japanese", "language"],
    [
      "My Japanese is rusty. Haruka stays with us for a week. Give me phrases I would need as a host, with kana, romaji and meaning, from arrival to goodbye, and say where I would sound stiff. She is an old friend, so plain style is fine.",
      `お久しぶりですね。 For an old friend the plain style is right; I mark the places where a polite form is still the warmer choice.

| moment | Japanese | reading | meaning |
|---|---|---|---|
| airport | 遠いところ、よく来てくれたね | tōi tokoro, yoku kite kureta ne | you came all this way |
| airport | 疲れたでしょう | tsukareta deshō | you must be tired |
| door | どうぞ、あがって | dōzo, agatte | come in (and up) |
| door | スリッパはそのへんにあるよ | surippa wa sono hen ni aru yo | slippers are around there |
| room | 自分の家だと思ってね | jibun no ie da to omotte ne | feel at home |
| room | 布団、足りる？ | futon, tariru? | enough blankets? |
| kitchen | お茶にする？それともコーヒー？ | ocha ni suru? soretomo kōhī? | tea, or coffee? |
| kitchen | 苦手なもの、ある？ | nigate na mono, aru? | anything you don't eat? |
| table | いただきます | itadakimasu | before eating, everyone |
| table | おかわりあるよ | okawari aru yo | there is more |
| table | ごちそうさまでした | gochisōsama deshita | after eating, always full form |
| cat | 猫がベッドに入ったらごめんね | neko ga beddo ni haittara gomen ne | sorry if the cat gets into bed |
| evening | ゆっくり休んでね | yukkuri yasunde ne | rest well |
| morning | よく眠れた？ | yoku nemureta? | slept well? |
| leaving for the day | いってらっしゃい | itterasshai | see you later (said by who stays) |
| coming home | おかえり | okaeri | welcome back |
| goodbye | またいつでも来てね | mata itsu demo kite ne | come again any time |
| goodbye | 気をつけて帰ってね | ki o tsukete kaette ne | get home safely |

**Where you would sound stiff**

- *ようこそいらっしゃいました* is what a hotel says. Leave it at *よく来てくれたね*.
- *何かご希望はございますか* belongs at a reception desk. *何したい？* is what friends say.
- *どういたしまして* after thanks is correct and cool. Among friends: *いいよ、いいよ* or *全然*.

**Where politeness is warmer**

- *ごちそうさまでした* stays in its full form, also among friends, because it thanks everyone who had a hand in the meal.
- To her parents on the telephone: *いつも遥さんにお世話になっております*.

**For Mila**, three are enough: こんにちは, いただきます, and これ、なに？ The last one will carry her through the whole week.

A note on 「が」 and 「ば」 in handwriting: the two small strokes are a separate mark, and if you type them decomposed (か + ゙) they look the same but do not compare the same. がぎぐ can be three characters or six.`,
    ],
  );
  s.note({
    at: "2026-09-01 21:10",
    updated: "2026-10-17 18:30",
    title: "遥が来る！Haruka, October",
    notebook: "Travel",
    tags: ["haruka", "visit"],
    body: `HZ 218, Sat 10.10., 17:40 (came 19:05). HZ 219, Sat 17.10., 12:05. Conference Mon + Tue.

やりたいこと:
- 砂丘 (日曜日) ✔
- ミラの学校の見学 ✔
- ヨナスの工房で箸を作る ✔ Haruka made two pairs, one is for the cat
- Krua Ploy で夕食 ✔ 水曜日

Futon HM-31550. She forgot her grey scarf on the hook → send with Mila's letter.`,
    files: [
      {
        filename: "hohe-duene.png",
        mimeType: "image/png",
        caption: "砂丘で、10月11日",
        bytes: () => hills("dune", "day"),
      },
      {
        filename: "autumn-walk.png",
        mimeType: "image/png",
        caption: "Evening walk along the river",
        bytes: () => hills("river", "dusk"),
      },
    ],
  });
}
