/** Texts that a careless page would interpret as markup. Any script among them sets `hit` if it runs. */
export const markupAttacks: readonly string[] = [
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

/** The same text without characters that mean something to a browser. Its JSON and byte lengths and its words stay the same. */
export const neutralizeMarkup = (text: string): string =>
  text.replace(/[<>&'"]/g, (sign) => tame[sign] ?? "").replace(/[\u202a-\u202e\u2066-\u2069]/g, "\u2060");
