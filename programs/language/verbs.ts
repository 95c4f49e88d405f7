/** Verbs that function names in this project start with, in their base form. */
const verbs = new Set(
  `abort accept acquire activate add adopt advance aggregate alias align allocate allow analyze announce answer anonymize append apply approve
  archive arrange ask assert assign assume attach authenticate authorize await backfill backup balance batch begin bind block boost  
  break bring browse buffer build bundle cache calculate call can cancel capitalize canonicalize capture cast catch change charge check choose claim
  clamp classify clean clear click clip clone close cluster coalesce coerce collapse collect combine commit compact compare compile complete
  compose compress compute concat condense configure confirm connect consume contain continue convert copy correct could count cover create cross crop cut
  deactivate debounce decide declare decode decompress decrypt dedupe deduplicate defer define delay delegate delete deliver deny deploy derive describe
  deserialize destroy detach detect determine dial did diff digest disable discard disconnect discover dispatch display dispose distribute divide do does
  download drain draw drive drop dump duplicate echo edit elide emit enable encode encrypt end enforce enqueue ensure enter enumerate erase
  escape establish estimate evaluate evict examine exchange exclude execute exercise exit expand expect expire explain explode export expose express extend extract
  fail fetch fill filter finalize find finish fit fix flag flatten flip flush fold follow force forget fork format forward freeze fulfil
  gather generate get give grant greet group grow guard guess guide halt handle has hash hide highlight hold hydrate hyphenate identify idle ignore
  impersonate implement import include increment indent infer inflate ingest inherit init initialize inject insert inspect install
  instantiate intern interpolate interpret interrupt intersect introspect invalidate invert invite invoke is isolate issue iterate join journal jump justify
  keep kill know label land launch lay layout lead learn leave lengthen let lift limit link list listen load localize locate lock log look loop
  lower make manage map mark mask match materialize may measure merge migrate minimize mint mirror mix mock mount move multiply must mutate
  narrow navigate need negate negotiate nest normalize note notify obfuscate observe obtain offer omit open override overwrite own
  pack pad paginate pair park parse partition pass paste patch pause peek perform permit persist pick pin pipe plan play plot
  poll pop populate post predict prefer prefix prepare prepend present preserve press preview print prioritize probe proceed process produce prohibit project promise promote
  prompt propagate propose protect prove provide proxy prune publish pull purge push put qualify quantize query queue quit quote raise randomize rank
  rate reach read rebuild recall receive recognize recompute reconcile reconnect recover redact redeem redirect reduce refer reformat refresh refuse regenerate
  register reindex reject release reload remember remove rename render renew reopen reorder repair repeat replace replay reply report repair
  represent request require rerun reschedule reserve reset resize resolve respond restart restore restrict resume retain retrieve retry return
  reuse reveal reverse revert revise revive revoke rewind rewrite roll rotate round route run sanitize save say scale scan
  schedule score scrape scroll scrub seal search see seed seek select send separate serialize serve set settle setup share shift shorten should
  show shrink shuffle shut sign simplify simulate skip sleep slice snapshot sniff snooze solve sort spawn specify spell splice split spread squash
  stack stage stamp start stat stay stem stop store stringify strip submit subscribe substitute subtract suggest sum summarize supply support
  suppress suspend swap switch sync synthesize tabulate tail take tally tap tear tell terminate test throttle throw tick tidy toggle tokenize
  touch trace trade transact transform translate transliterate transpose traverse treat trigger trim truncate try tune turn unbind uncompress
  underline undo unescape unfold unify union uninstall unlink unload unlock unmask unpack unpin unquote unregister unseal unsubscribe unwrap unzip
  update upgrade upload upsert use validate vary verify visit wait wake walk warn was watch weigh widen will wipe wire withdraw with withhold wrap
  write yield zip stream sweep bump sample overlap unite humanize tolerate`.split(/\s+/),
);

/** Whether a name starts with a verb: `parseHandle`, `isInactive`, `onRun`, `toJson`. */
export function startsWithVerb(name: string): boolean {
  const first = /^_*([a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*)/.exec(name)?.[1]?.toLowerCase() ?? "";
  if (/[a-z](?:Of)$/.test(name)) return false;
  return (
    verbs.has(first) ||
    verbs.has(first.replace(/s$/, "")) ||
    ((first === "on" || first === "to" || first === "from" || first === "as") && name.length > first.length)
  );
}
