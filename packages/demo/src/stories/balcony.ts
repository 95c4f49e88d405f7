import { hills } from "../pictures.ts";
import type { Script } from "../script.ts";

export function balcony(s: Script): void {
  s.order({
    id: "GK-10822",
    shop: "Grünkram",
    at: "2026-02-28 16:50",
    items: [
      ["Tomato seeds 'Nordlicht'", "garden", 2, 295],
      ["Thai basil seeds", "garden", 1, 345],
      ["Balcony box 80 cm", "garden", 3, 1490],
      ["Peat-free soil 40 l", "garden", 3, 899],
    ],
    shipping: 690,
  });
  s.chat(
    "ploy",
    "2026-03-01 11:15",
    `
ada> I have seeds for holy basil... or Thai basil? the packet isn't sure
ploy> 555 ขอดูหน่อยค่ะ send photo!
ploy> That one is โหระพา, the sweet one. Holy basil is กะเพรา, for ผัดกะเพรา you need that. I give you a cutting, mine survived the winter in the kitchen
ada> ขอบคุณมากค่ะ! what do you want for it
ploy> Tomatoes in august. And Jonas fixes my drawer 😁 ::🤝 ada`,
  );
  s.chat(
    "ploy",
    "2026-07-12 18:34",
    `
ada> first tomato! 38 g. Mila weighed it on the letter scale
ploy> เก่งมาก! She gets free ข้าวเหนียวมะม่วง on thursday
ada> she is doing the mango dance
ploy> Can you water the pots 3–9 august? I visit my mother in เชียงใหม่... ah no, you are away?
ada> back on 2 august, so yes. กุญแจ under the blue pot?
ploy> ใช่ค่ะ blue pot 🪴`,
  );
  s.chat(
    "ploy",
    "2026-08-09 12:02",
    `
ploy> กลับมาแล้วค่ะ! Everything is alive, thank you. My mother sends tamarind
ada> total harvest so far: 6.2 kg tomatoes. I made your tom kha yesterday, Jonas had three bowls
ploy> With the galangal cut thick? ใช่ไหม
ada> thick, and nobody eats it, only I chew on it like a cow ::😂 ploy`,
  );
  s.chat(
    "house",
    "2026-08-11 19:30",
    `
dornbusch> Hoffest am 29.08. ab 15 Uhr. Wer bringt was? Bitte keine Musik nach 22 Uhr.
ploy> Krua Ploy bringt ต้มข่า und Frühlingsrollen für 30 Leute 🌶️
ada> Wir: Tomatensalat (eigene Ernte!), Jonas baut die Bänke auf
yara> Kuchen x3 und die Kinder machen Limo
dornbusch> Ich bringe den Grill und die Hausordnung. ::😂 ada ::😂 yara`,
  );
  s.event({
    title: "Hoffest Lindenufer 14",
    start: "2026-08-29 15:00",
    length: 420,
    location: "Courtyard",
    guests: ["jonas", "mila", "ploy", "yara"],
    organizer: "Egon Dornbusch",
    made: "2026-08-11 20:00",
  });
  s.event({
    title: "Water Ploy's plants",
    start: "2026-08-03",
    length: 7,
    allDay: true,
    location: "ground floor, key under the blue pot",
    made: "2026-07-12 19:00",
  });
  s.talk(
    "2026-08-08 16:20",
    "Tom kha gai the way Ploy makes it",
    ["cooking", "thai"],
    [
      "Write down a proper recipe for ต้มข่าไก่ for four people. My neighbour's rules: galangal thick, lime at the very end, no onion. And explain the ingredients for someone who shops in a German supermarket.",
      `## ต้มข่าไก่ (tom kha gai), for four

*Chicken in coconut milk with galangal. Thirty minutes, one pot.*

**Ingredients**

- 800 ml coconut milk (กะทิ), the kind that separates in the tin: at least 60 % coconut, no thickener
- 300 ml light chicken stock
- 400 g chicken thigh, in bite-sized pieces
- 60 g galangal (ข่า), in *thick* slices, five millimetres: you are meant to see them and leave them
- 3 stalks of lemongrass (ตะไคร้), bruised with the back of a knife, cut into hand-length pieces
- 6 makrut lime leaves (ใบมะกรูด), torn, stem removed
- 200 g oyster mushrooms, torn, not cut
- 3–6 small chillies (พริกขี้หนู), crushed whole; fewer for guests, none for children
- 3 tablespoons fish sauce (น้ำปลา)
- 1 tablespoon palm sugar (น้ำตาลปี๊บ), or light brown sugar
- juice of 2–3 limes (มะนาว)
- a handful of coriander (ผักชี)

**Method**

1. Bring half of the coconut milk to a gentle simmer with galangal, lemongrass and lime leaves. Ten minutes. The kitchen should smell like a forest after rain.
2. Add the stock and the rest of the coconut milk. Simmer, never boil hard: boiled coconut milk splits and turns greasy.
3. Add the chicken, five minutes. Add the mushrooms, three more.
4. Season with fish sauce and sugar. Taste: it should be too salty by a hair.
5. **Take the pot off the fire. Now the lime**, and the chillies. Lime that has boiled tastes of floor cleaner; Ploy is right.
6. Taste again: salty, sour, a little sweet, in this order. Correct with lime first.
7. Coriander on top. Rice beside, not inside.

**Shopping in a German supermarket**

| you need | look for | if there is none |
|---|---|---|
| ข่า galangal | Asia shop, often frozen; "Galgant" | ginger is a different soup; a nice one, but say so |
| ใบมะกรูด lime leaves | frozen, "Kaffirlimettenblätter" on old labels | zest of a lime plus one bay leaf |
| ตะไคร้ lemongrass | fresh, vegetable shelf | paste from a tube, one tablespoon, last resort |
| น้ำปลา fish sauce | Asia shelf | soy sauce and a pinch of salt |

**Vegetarian:** tofu and vegetable stock, and light soy sauce instead of fish sauce. Then it is ต้มข่าเห็ด, and it is just as good.

กินให้อร่อยนะคะ!`,
    ],
  );
  s.note({
    at: "2026-03-29 17:20",
    updated: "2026-09-20 18:44",
    title: "Balcony 2026",
    notebook: "Home",
    tags: ["garden", "tomatoes"],
    body: `28.02. seeds ordered (GK-10822), 29.03. sown indoors, 14.05. out, 12.07. first tomato (38 g).

Harvest: July 1.1 kg, August 7.4 kg, September 3.0 kg → 11.5 kg.
Thai basil (โหระพา): more than we can eat. Holy basil (กะเพรา): Ploy's cutting, doing well on the kitchen sill.

Next year: fewer plants, larger pots. And tie them up BEFORE the storm.`,
    files: [
      {
        filename: "balcony-june.png",
        mimeType: "image/png",
        caption: "View from the balcony in June",
        bytes: () => hills("balcony", "day"),
      },
    ],
  });
}
