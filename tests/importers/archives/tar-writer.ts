/** Tar archives as honest and as hostile programs write them. */

interface TarItem {
  readonly name: string;
  readonly content?: string | Uint8Array;
  /** As the format calls them: 0 is a file, 1 a hard link, 2 a link, 3 a device. */
  readonly type?: string;
  readonly target?: string;
  /** The size that the archive declares, if it is wrong. */
  readonly saidSize?: number;
}

export function writeTar(items: readonly TarItem[]): Buffer {
  const parts = items.flatMap(({ name, content = "", type = "0", target = "", saidSize }) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100, "utf8");
    header.write("0000644\0", 100);
    header.write(`${(saidSize ?? bytes.length).toString(8).padStart(11, "0")}\0`, 124);
    header.write("00000000000\0", 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write(target, 157, 100, "utf8");
    header.write("ustar\u000000", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}
