/** Texts that would be something else than text on a careless page. A script among them that runs sets `hit`. */
export const attacks: readonly string[] = [
  `<script>globalThis.hit = 1</script>EVIL`,
  `<img src=x onerror="globalThis.hit = 2">EVIL`,
  `</title></bdi></div></main><iframe src="https://evil.example"></iframe>EVIL`,
  `<style>*{display:none}</style><link rel=stylesheet href=//evil.example>EVIL`,
  `<form action="https://evil.example"><button>Revoke EVIL</button></form>`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example">EVIL`,
  `" autofocus onfocus="globalThis.hit = 3" x="EVIL`,
  `\u202eEVIL\u2066\u2067 reversed \u202d`,
  `javascript:globalThis.hit=4//EVIL`,
  `<svg onload=globalThis.hit=5><animate onbegin=globalThis.hit=6>EVIL</svg>`,
  `\${globalThis.hit=7}{{EVIL}}<!-- <![CDATA[`,
  `EVIL${"W".repeat(1000)}`,
];

const tame: Readonly<Record<string, string>> = { "<": "(", ">": ")", "&": ";", "'": "`", '"': "\\" };

/** The same text without what means something to a browser. As JSON and in bytes it is as long as before, and its words are the same. */
export const harmless = (text: string): string =>
  text.replace(/[<>&'"]/g, (sign) => tame[sign] ?? "").replace(/[\u202a-\u202e\u2066-\u2069]/g, "\u2060");
