/** Pairs of traditional and simplified characters, `"丟 丢|並 并|..."`. The package has no types for its dictionaries. */
declare module "opencc-js/dict/TSCharacters" {
  const pairs: string;
  export default pairs;
}
