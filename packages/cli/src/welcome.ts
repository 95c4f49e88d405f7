export const welcome = `pdpp keeps your data in a vault; agents and tools read it inside grants you give.

To look around:
  pdpp serve --demo                          prints a token; in another terminal:
  export PDPP_ACCESS_TOKEN=TOKEN
  pdpp read search "boiler warranty"

To start a vault of your own:
  pdpp connector add notes.json              what the data looks like
  pdpp connection add notes                  one source of it; prints its CONNECTION_ID
  pdpp ingest CONNECTION_ID notes data.ndjson
  pdpp grant create --client "My agent" --connection CONNECTION_ID --stream notes --save
  pdpp setup claude-code --write             or another agent: pdpp setup
  pdpp serve

All commands: pdpp --help. Something wrong: pdpp doctor
`;
