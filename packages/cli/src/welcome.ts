export const welcome = `pdpp keeps your personal data in a vault that AI agents read within the access you grant.

Try the demo:
  pdpp serve --demo                              then, in another terminal:
  pdpp read search "gutter thermostat"           search it
  pdpp read search "gutter thermostat" --open 1  open the first hit at its match

Start your own vault:
  pdpp import ~/Downloads/takeout.zip            import an export (asks first)
  pdpp serve                                     start the console and the API
  pdpp open                                      open the console, signed in
  pdpp setup claude-code --write                 connect an agent (list: pdpp setup)

Store data from your own programs:
  pdpp connector add notes.json                  describe the data
  pdpp connection add notes                      add a source; prints its CONNECTION_ID
  pdpp ingest CONNECTION_ID notes data.ndjson    load records; then: pdpp grant create

All commands: pdpp --help. Troubleshooting: pdpp doctor
`;
