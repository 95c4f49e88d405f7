export const welcome = `pdpp keeps your data in a vault; agents and tools read it inside grants you give.

To look around:
  pdpp serve --demo                              then, in another terminal:
  pdpp read search "gutter thermostat"           what has these words
  pdpp read search "gutter thermostat" --open 1  the first of it, where it matched

To start a vault of your own:
  pdpp import ~/Downloads/takeout.zip            an export you downloaded; it asks first
  pdpp serve                                     your pages, and where agents read
  pdpp setup claude-code --write                 or another agent: pdpp setup

For programs, with data of their own making:
  pdpp connector add notes.json                  what the data looks like
  pdpp connection add notes                      one source of it; prints its CONNECTION_ID
  pdpp ingest CONNECTION_ID notes data.ndjson    then a token for a reader: pdpp grant create

All commands: pdpp --help. Something wrong: pdpp doctor
`;
