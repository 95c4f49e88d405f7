import { readFile } from "node:fs/promises";
import { PDFiumModule } from "@hyzyla/pdfium";
import type { Pixels } from "./pixels.ts";

/**
 * Draws the first page of a PDF with PDFium, compiled to WebAssembly without its JavaScript engine. The module has no way to open files or connections:
 * what it calls a file system is memory of its own. Each document gets a new instance, so that one cannot affect the next.
 */

/** Only as wide as the page of a document shows it, at less than two pixels per point. */
const maxWidth = 800;
/** An A4 page of that width. */
const maxHeight = 1132;
/** Most documents take 20 MB. The file itself has up to 32. */
const maxMemoryBytes = 128 * 1024 ** 2;
/** The module grows by up to a fifth more than it needs. */
const maxNeededBytes = maxMemoryBytes / 1.2;

const headBytes = 1024;

/** Programs accept a PDF that starts after some other bytes. */
export const isPdf = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes)).includes("%PDF-");

const [rgba, withNotes, reversedBytes, white] = [4, 0x01, 0x10, 0xffffffff];

export async function drawFirstPage(bytes: Uint8Array): Promise<Pixels> {
  const pdfium = await startPdfium();
  const { malloc } = pdfium.wasmExports;
  const reserve = (size: number): number => {
    const at = malloc(size);
    if (at === 0) throw new Error("this document needs too much memory");
    return at;
  };
  const file = reserve(bytes.length);
  pdfium.HEAPU8.set(bytes, file);
  const document = pdfium._FPDF_LoadMemDocument(file, bytes.length, 0);
  if (document === 0) throw new Error("this document is damaged or encrypted");
  const page = pdfium._FPDF_LoadPage(document, 0);
  if (page === 0) throw new Error("this document has no page");
  const { width, height } = fitPage(pdfium._FPDF_GetPageWidth(page), pdfium._FPDF_GetPageHeight(page));
  const size = width * height * 4;
  const drawn = reserve(size);
  const bitmap = pdfium._FPDFBitmap_CreateEx(width, height, rgba, drawn, width * 4);
  pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withNotes | reversedBytes);
  // Memory that has grown has a new buffer, so the pixels are read from the current one.
  return { data: new Uint8ClampedArray(pdfium.HEAPU8.slice(drawn, drawn + size).buffer), width, height };
}

export function fitPage(width: number, height: number): { readonly width: number; readonly height: number } {
  const scale = Math.min(maxWidth / width, maxHeight / height);
  if (!(width > 0 && height > 0 && scale > 0)) throw new Error("this page has no size");
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

type WasmImports = Record<string, Record<string, unknown>>;

/** The parts used here; there are no types for it without those of a browser. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (module: object, imports: WasmImports) => object;
};

let compiled: Promise<object> | undefined;
const compile = async (): Promise<object> =>
  WebAssembly.compile(await readFile(new URL(import.meta.resolve("@hyzyla/pdfium/pdfium.wasm"))));

/** Refuses to grow beyond the limit, after which PDFium gives up. */
function limitMemory({ env = {} }: WasmImports): void {
  const { emscripten_resize_heap: grow } = env;
  if (typeof grow !== "function") throw new Error("the memory of PDFium cannot be limited");
  env.emscripten_resize_heap = (bytes: number): unknown => (bytes >>> 0 > maxNeededBytes ? 0 : grow(bytes));
}

async function startPdfium() {
  compiled ??= compile();
  const module = await compiled;
  const options = {
    // It describes damaged documents on the console, which is the server's log.
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm(imports: WasmImports, done: (instance: object) => void) {
      limitMemory(imports);
      done(new WebAssembly.Instance(module, imports));
      return {};
    },
  };
  const pdfium = await PDFiumModule(options);
  pdfium._FPDF_InitLibraryWithConfig({});
  return pdfium;
}
