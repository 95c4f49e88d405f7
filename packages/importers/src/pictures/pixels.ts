/** Pixels of four bytes: red, green, blue and alpha. */
export interface Pixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** The shorter side of a thumbnail: a tile of a third of a phone's width, at three pixels per point. */
const shortSide = 320;
/** A panorama is cut to this many times its shorter side by the page, so more would not be seen. */
const maxLongSide = 960;

export function getThumbnailSize(width: number, height: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, shortSide / Math.min(width, height), maxLongSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** Scales down by averaging, on white where the picture is transparent. */
export function scaleDown({ data, width, height }: Pixels, target: { width: number; height: number }): Pixels {
  const scaled = new Uint8ClampedArray(target.width * target.height * 4);
  for (let y = 0; y < target.height; y += 1) {
    const top = Math.floor((y * height) / target.height);
    const bottom = Math.max(top + 1, Math.floor(((y + 1) * height) / target.height));
    for (let x = 0; x < target.width; x += 1) {
      const left = Math.floor((x * width) / target.width);
      const right = Math.max(left + 1, Math.floor(((x + 1) * width) / target.width));
      let [red, green, blue, opaque] = [0, 0, 0, 0];
      for (let row = top; row < bottom; row += 1) {
        for (let at = (row * width + left) * 4, end = (row * width + right) * 4; at < end; at += 4) {
          const alpha = data[at + 3]!;
          red += data[at]! * alpha;
          green += data[at + 1]! * alpha;
          blue += data[at + 2]! * alpha;
          opaque += alpha;
        }
      }
      const all = (bottom - top) * (right - left) * 255;
      const white = (all - opaque) * 255;
      const to = (y * target.width + x) * 4;
      scaled[to] = (red + white) / all;
      scaled[to + 1] = (green + white) / all;
      scaled[to + 2] = (blue + white) / all;
      scaled[to + 3] = 255;
    }
  }
  return { data: scaled, ...target };
}

/** Turns a picture as its EXIF orientation (1 to 8) says. */
export function applyOrientation(pixels: Pixels, orientation: number): Pixels {
  if (!(orientation >= 2 && orientation <= 8)) return pixels;
  const { data, width, height } = pixels;
  const isTurned = orientation >= 5;
  const size = isTurned ? { width: height, height: width } : { width, height };
  const turned = new Uint8ClampedArray(data.length);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      const [along, down] = isTurned ? [y, x] : [x, y];
      const fromX = [2, 3, 7, 8].includes(orientation) ? width - 1 - along : along;
      const fromY = [3, 4, 6, 7].includes(orientation) ? height - 1 - down : down;
      const from = (fromY * width + fromX) * 4;
      turned.set(data.subarray(from, from + 4), (y * size.width + x) * 4);
    }
  }
  return { data: turned, ...size };
}
