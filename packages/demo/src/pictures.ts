import { type Colour, png } from "./png.ts";
import { random, seedFrom } from "./random.ts";

const width = 320;
const height = 240;

const mix = (a: Colour, b: Colour, t: number): Colour => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
];

const inside = (x: number, y: number, cx: number, cy: number, r: number) => (x - cx) ** 2 + (y - cy) ** 2 < r * r;

interface Sky {
  top: Colour;
  bottom: Colour;
}
const skies = {
  day: { top: [96, 160, 220], bottom: [222, 238, 248] },
  dusk: { top: [70, 58, 120], bottom: [250, 168, 110] },
  night: { top: [8, 12, 34], bottom: [30, 40, 80] },
  storm: { top: [70, 78, 90], bottom: [160, 168, 172] },
} satisfies Record<string, Sky>;

/** A bay with a headland and the sun low over the water. */
export function coast(name: string, sky: keyof typeof skies): Uint8Array {
  const dice = random(seedFrom(name));
  const horizon = dice.int(110, 140);
  const sun = { x: dice.int(60, 260), y: horizon - dice.int(14, 40), r: dice.int(12, 20) };
  const hill = dice.int(40, 90);
  return png(width, height, (x, y) => {
    const headland = horizon - Math.max(0, hill - x * 0.55) * (0.8 + 0.2 * Math.sin(x / 17));
    if (y > headland && y < horizon + 6) return mix([58, 92, 60], [36, 60, 48], (y - headland) / 60);
    if (y < horizon) {
      if (inside(x, y, sun.x, sun.y, sun.r)) return [255, 236, 180];
      return mix(skies[sky].top as Colour, skies[sky].bottom as Colour, y / horizon);
    }
    const water = mix([70, 130, 160], [18, 52, 84], (y - horizon) / (height - horizon));
    const glint = Math.abs(x - sun.x) < 8 + (y - horizon) / 3 && Math.sin(y * 1.7) > 0.3;
    return glint ? mix(water, [255, 230, 180], 0.45) : water;
  });
}

/** Two ranges of hills. */
export function hills(name: string, sky: keyof typeof skies): Uint8Array {
  const dice = random(seedFrom(name));
  const phase = dice.int(0, 100);
  const green: Colour = [dice.int(60, 110), dice.int(130, 170), dice.int(60, 90)];
  return png(width, height, (x, y) => {
    const far = 130 + 18 * Math.sin((x + phase) / 38) + 8 * Math.sin(x / 13);
    const near = 175 + 22 * Math.sin((x - phase) / 60);
    if (y > near) return mix(green, [40, 80, 40], (y - near) / 80);
    if (y > far) return mix([120, 150, 160], [90, 120, 120], (y - far) / 60);
    return mix(skies[sky].top as Colour, skies[sky].bottom as Colour, y / 150);
  });
}

/** Jupiter and its four large moons, as a small telescope shows them. */
export function jupiter(name: string): Uint8Array {
  const dice = random(seedFrom(name));
  const moons = [-98, -58, 54, 96].map((distance) => ({
    x: 160 + distance + dice.int(-9, 9),
    y: 120 - distance / 12,
  }));
  return png(width, height, (x, y) => {
    if (!inside(x, y, 160, 120, 118)) return [0, 0, 0];
    if (inside(x, y, 160, 120, 17)) {
      return Math.abs(((y - 120) % 9) - 2) < 2 ? [176, 140, 110] : [232, 214, 184];
    }
    return moons.some((moon) => inside(x, y, moon.x, moon.y, 2)) ? [240, 240, 250] : [6, 8, 16];
  });
}

/** A round thing on a table: a cake, a gauge, a plate. `slices` draws spokes, `needle` a pointer in turns. */
export function dial(
  face: Colour,
  table: Colour,
  rim: Colour,
  marks: { slices?: number; needle?: number },
): Uint8Array {
  return png(width, height, (x, y) => {
    const dx = x - 160;
    const dy = y - 120;
    const distance = Math.hypot(dx, dy);
    if (distance > 96) return mix(table, [table[0] * 0.7, table[1] * 0.7, table[2] * 0.7], y / height);
    if (distance > 86) return rim;
    const turn = (Math.atan2(dx, -dy) / (2 * Math.PI) + 1) % 1;
    if (marks.needle !== undefined && distance < 70 && Math.abs(turn - marks.needle) * distance < 0.35)
      return [190, 30, 30];
    if (marks.slices && (turn * marks.slices) % 1 < 0.04) return rim;
    return mix(face, [255, 255, 255], 0.25 * (1 - distance / 96));
  });
}

/** A handwritten-looking page: ruled lines with ink. */
export function page(name: string, ink: Colour): Uint8Array {
  const dice = random(seedFrom(name));
  const lines = Array.from({ length: 9 }, () => ({ length: dice.int(150, 270), wobble: dice.int(5, 14) }));
  return png(width, height, (x, y) => {
    const line = lines[Math.floor((y - 18) / 23)];
    const base = 18 + Math.floor((y - 18) / 23) * 23 + 14;
    const stroke = base + 4 * Math.sin(x / 2.6) * Math.sin(x / (line?.wobble ?? 7));
    if (line && x > 26 && x < 26 + line.length && x % 31 > 6 && Math.abs(y - stroke) < 1.3) return ink;
    return y === base + 6 ? [196, 210, 226] : [250, 247, 238];
  });
}
